import type { ProviderSettings } from '../../contract/identity-providers/provider-settings.ts'
import { joinPath } from '../../runtime/json/position.ts'
import type { ConfigDocument, Credential, CredentialKind, Inference } from '../document.ts'
import type { Reader } from '../field.ts'
import { fields } from '../fields.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'
import type { ReadResult } from '../read/document.ts'

/** The systems that a client runs on. */
export const operatingSystems = ['linux', 'macos', 'windows'] as const
/** One of the systems that a client runs on. */
export type OperatingSystem = (typeof operatingSystems)[number]

/** What the caller knows of a helper that a document may name. */
export interface HelperFacts {
  /** The longest life of its tokens. */
  readonly tokenLifeSec?: number
  /** The longest `ttlSec` that suits them, where it is less than their life. */
  readonly longestTtlSec?: number
  /** The client's `ttlSec` by the helper's own configuration. */
  readonly clientTtlSec?: number
  /** The client's `timeoutSec` by the helper's own configuration. */
  readonly clientTimeoutSec?: number
  /** The service of AWS that it makes keys for, and whether anything says so. */
  readonly keyService?: { readonly name: string; readonly isSet: boolean }
  /** The region of AWS that its settings name. */
  readonly region?: string
  /** The identity provider with which it signs a person in. */
  readonly provider?: ProviderSettings
  /** Why it cannot run with the arguments of the document. */
  readonly argumentProblem?: string
  /** Why it cannot run with its settings on this machine, and what to do about it. */
  readonly settingsProblem?: { readonly message: string; readonly hint: string }
}

/** What the caller knows of the clients that will read the document. */
export interface CheckOptions {
  /** Release of the installed client, such as `1.14271.0`. Absent: fields of every release are taken to be read. */
  readonly clientVersion?: string
  readonly reader?: Reader
  /** In epoch milliseconds. Absent: times are not compared with it. */
  readonly now?: number
  /** The system whose path of a helper is checked. A registry file is always Windows, a property list always macOS. */
  readonly os?: OperatingSystem
  /** Known helpers by the name of their executable. */
  readonly helpers?: ReadonlyMap<string, HelperFacts>
}

/** What a rule checks. */
export interface Subject extends Omit<CheckOptions, 'os'> {
  readonly result: ReadResult
  readonly document: ConfigDocument
  readonly inference: Inference
  readonly os: OperatingSystem | undefined
  /** How the file spells a field, or would spell it. */
  readonly spell: (path: string) => string
}

/** One rule about valid fields together. */
export type Rule = (subject: Subject) => readonly Finding[]

/** The subject of the rules; `undefined` when the document could not be read. */
export function toSubject(result: ReadResult, options: CheckOptions): Subject | undefined {
  const { document } = result
  if (!document) return undefined
  const implied =
    result.container === 'registry' ? 'windows' : result.container === 'property-list' ? 'macos' : undefined
  const inference = document.inference ?? {}
  const kind = inference.credential?.kind
  return {
    ...options,
    result,
    document,
    inference,
    os: implied ?? options.os,
    spell: (path) => spellPath(result, path, kind),
  }
}

/** The credential, if it is of this kind. */
export function findCredential<Kind extends CredentialKind>(
  subject: Subject,
  kind: Kind,
): (Credential & { kind: Kind }) | undefined {
  const { credential } = subject.inference
  return credential?.kind === kind ? (credential as Credential & { kind: Kind }) : undefined
}

/** The nested path of a field of the credential. */
export function toCredentialPath(name: string): string {
  return `inference.credential.${name}`
}

/** Reports a required field that is not set, unless it was dropped with an error of its own. */
export function reportMissing(subject: Subject, path: string, message: string, hint: string): Finding[] {
  const spelled = subject.spell(path)
  const isReported = subject.result.findings.some((other) => other.path === spelled && other.severity === 'error')
  return isReported ? [] : [createFinding('required-missing', spelled, message, hint)]
}

function spellPath(result: ReadResult, path: string, kind: CredentialKind | undefined): string {
  const found = result.values.find(({ field }) => field.path === path)
  if (found) return found.path
  const outer = result.values.find(({ field }) => field.path === path.slice(0, path.lastIndexOf('.')))
  if (outer) return joinPath(outer.path, path.slice(path.lastIndexOf('.') + 1))
  const field = fields.find((row) => row.path === path && (!row.kind || !kind || row.kind === kind))
  return result.shape === 'nested' ? path : (field?.flat ?? path)
}
