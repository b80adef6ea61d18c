import type { ConfigDocument, Credential, CredentialKind, Inference } from '../document.ts'
import type { Reader } from '../field.ts'
import { fields } from '../fields.ts'
import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'
import type { ReadResult } from '../read/document.ts'

export const operatingSystems = ['linux', 'macos', 'windows'] as const
export type OperatingSystem = (typeof operatingSystems)[number]

/** What the caller knows of a helper that a document may name. */
export interface HelperFacts {
  /** The longest that its tokens can live. */
  readonly tokenLifeSec?: number
  /** What it is configured to believe of the client's `ttlSec`. */
  readonly clientTtlSec?: number
  /** What it is configured to believe of the client's `timeoutSec`. */
  readonly clientTimeoutSec?: number
  /** Why it cannot run with the arguments of the document. */
  readonly argumentProblem?: string
  /** Why it cannot run with its settings on this machine, and what to do about it. */
  readonly settingsProblem?: { readonly message: string; readonly hint: string }
}

export interface CheckOptions {
  /** Release of the installed client, such as `1.14271.0`. Absent: fields of every release are taken to be read. */
  readonly clientVersion?: string
  readonly reader?: Reader
  /** Decides which path of a helper is judged, unless the container says it: a registry is Windows, a profile macOS. */
  readonly os?: OperatingSystem
  /** Known helpers by the name of their executable. */
  readonly helpers?: ReadonlyMap<string, HelperFacts>
}

/** What a rule looks at. */
export interface Subject extends Omit<CheckOptions, 'os'> {
  readonly reading: ReadResult
  readonly document: ConfigDocument
  readonly inference: Inference
  readonly os: OperatingSystem | undefined
  /** How the file spells a field, or would spell it. */
  readonly spell: (path: string) => string
}

export type Rule = (subject: Subject) => readonly Finding[]

/** `undefined` when the document could not be read. */
export function subjectOf(reading: ReadResult, options: CheckOptions): Subject | undefined {
  const { document } = reading
  if (!document) return undefined
  const implied =
    reading.container === 'registry' ? 'windows' : reading.container === 'property-list' ? 'macos' : undefined
  const inference = document.inference ?? {}
  const kind = inference.credential?.kind
  return {
    ...options,
    reading,
    document,
    inference,
    os: implied ?? options.os,
    spell: (path) => spellPath(reading, path, kind),
  }
}

/** The credential, if it is of this kind. */
export function credentialOf<Kind extends CredentialKind>(
  subject: Subject,
  kind: Kind,
): (Credential & { kind: Kind }) | undefined {
  const { credential } = subject.inference
  return credential?.kind === kind ? (credential as Credential & { kind: Kind }) : undefined
}

/** The finding for a field that must be there, unless it is and was dropped with an error of its own. */
export function missing(subject: Subject, path: string, message: string, hint: string): Finding[] {
  const spelled = subject.spell(path)
  const isReported = subject.reading.findings.some((other) => other.path === spelled && other.severity === 'error')
  return isReported ? [] : [finding('required-missing', spelled, message, hint)]
}

function spellPath(reading: ReadResult, path: string, kind: CredentialKind | undefined): string {
  const found = reading.values.find(({ field }) => field.path === path)
  if (found) return found.path
  const field = fields.find((row) => row.path === path && (!row.kind || !kind || row.kind === kind))
  return reading.shape === 'nested' ? path : (field?.flat ?? path)
}
