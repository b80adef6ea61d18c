import type { Finding } from '../../../config/finding.ts'

/** A document that was checked, for every format. */
export interface CheckedDocument {
  /** As it was given: a file, `-` or a URL, of which secrets are hidden. */
  readonly source: string
  /** The exit status of a check of this document alone. */
  readonly status: 0 | 1 | 2
  /** The worst first. */
  readonly findings: readonly Finding[]
  /** What they come to, as one sentence. */
  readonly conclusion: string
}

/** The exit status of a check of several documents: the worst of theirs. */
export function computeStatus(documents: readonly CheckedDocument[]): 0 | 1 | 2 {
  const statuses = new Set(documents.map(({ status }) => status))
  return ([2, 1] as const).find((status) => statuses.has(status)) ?? 0
}
