import { type CredentialKind, credentialKinds } from '../document.ts'
import type { Field } from '../field.ts'
import { fields } from '../fields.ts'
import { type Finding, finding } from '../finding.ts'
import type { MatchedField } from './matched-field.ts'

export interface FoundKind {
  /** `undefined` when nothing or more than one thing stands for a kind: clients guess then, and a guess is no configuration. */
  readonly kind: CredentialKind | undefined
  /** The kind as a value of the document, where the document does not name it. */
  readonly implied: readonly MatchedField[]
  readonly findings: readonly Finding[]
}

/** The kind that the document's credential has: the one it names, else that of its only source. */
export function findKind(raw: unknown, present: readonly Field[], path: string): FoundKind {
  const named = credentialKinds.find((kind) => kind === raw)
  if (named) return { kind: named, implied: [], findings: [] }
  const sources = new Set(present.flatMap((field) => (field.source && field.kind ? [field.kind] : [])))
  if (sources.size > 1) return { kind: undefined, implied: [], findings: [twoSources([...sources], path)] }
  const [kind] = sources
  const implied: MatchedField[] = kind ? [{ field: kindField, raw: kind, path, encoding: 'native' }] : []
  return { kind, implied, findings: raw === undefined && kind ? [oneSource(kind, path)] : [] }
}

const kindField = fields.find((field) => field.path === 'inference.credential.kind')!

function twoSources(kinds: readonly CredentialKind[], path: string): Finding {
  const message = `it is not set, and there are sources for ${kinds.map((kind) => `"${kind}"`).join(' and ')}: which one counts differs between clients`
  return finding(
    'kind-unset-two-sources',
    path,
    message,
    `set it to one of ${kinds.map((kind) => `"${kind}"`).join(', ')} and remove the fields of the others`,
  )
}

function oneSource(kind: CredentialKind, path: string): Finding {
  return finding('kind-unset', path, 'it is not set, so that clients guess', `set it to "${kind}"`)
}
