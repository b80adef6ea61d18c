// Folder: rules about valid fields together, and about the machine.

import type { ProviderSettings } from '../../contract/identity-providers/provider-settings.ts'
import { joinPath } from '../../runtime/values/position.ts'
import type { ConfigDocument, Credential, HelperScriptCredential, Inference } from '../document.ts'
import type { CredentialKind, Reader } from '../field.ts'
import { fields } from '../fields.ts'
import { createFinding, type Finding } from '../finding.ts'
import type { ReadResult } from '../read/read-document.ts'

/** The systems that a client runs on. */
export const operatingSystems = ['linux', 'macos', 'windows'] as const
/** A system by the name that `--os` takes. */
export type OperatingSystem = (typeof operatingSystems)[number]

/** The names of the systems for a person. */
export const systemTitles = { linux: 'Linux', macos: 'macOS', windows: 'Windows' } as const satisfies Record<
  OperatingSystem,
  string
>

/** Detects the system whose rules apply on this platform. Every platform but Windows and macOS counts as Linux. */
export function detectSystem(platform: NodeJS.Platform): OperatingSystem {
  if (platform === 'win32') return 'windows'
  return platform === 'darwin' ? 'macos' : 'linux'
}

/** The known facts about a helper in a document. */
export interface HelperFacts {
  /** The longest life of its tokens, in seconds. */
  readonly tokenLifeSec?: number | undefined
  /** The longest `ttlSec` that suits them, if it is less than their life. */
  readonly longestTtlSec?: number | undefined
  /** The client's `ttlSec`, as in the helper's own configuration. */
  readonly clientTtlSec?: number
  /** The client's `timeoutSec`, as in the helper's own configuration. */
  readonly clientTimeoutSec?: number
  /** The AWS service of its short-term keys, and whether an option sets it. */
  readonly keyService?: { readonly name: string; readonly isSet: boolean }
  /** The AWS region in its settings. */
  readonly region?: string
  /** The identity provider with which it signs a person in. */
  readonly provider?: ProviderSettings
  /** Required options that no known setting has. */
  readonly unsetOptions?: readonly string[]
  /** The problem with its arguments in the document, and what to do. */
  readonly argumentProblem?: { readonly message: string; readonly hint: string }
  /** The problem with its settings on this machine, and what to do. */
  readonly settingsProblem?: { readonly message: string; readonly hint: string }
  /** The problem with the configured proxy, and what to do. A run without a request beyond this machine succeeds. */
  readonly proxyProblem?: { readonly message: string; readonly hint: string }
}

/** The known facts about the clients that will read the document. */
export interface DocumentCheckOptions {
  /** Release of the installed client, such as `1.14271.0`. Absent: fields of every release are taken to be read. */
  readonly clientVersion?: string | undefined
  readonly reader?: Reader | undefined
  /** The present time in epoch milliseconds; absent: times are not checked. */
  readonly now?: number
  /** The system for which a helper's path is checked. A registry file is always Windows, a property list always macOS. */
  readonly os?: OperatingSystem | undefined
  /** Known helpers by the name of their executable. */
  readonly helpers?: ReadonlyMap<string, HelperFacts>
}

/** The document to check, with the facts about its readers. */
export interface RuleSubject extends Omit<DocumentCheckOptions, 'os'> {
  readonly result: ReadResult
  readonly document: ConfigDocument
  readonly inference: Inference
  readonly os: OperatingSystem | undefined
  /** Renders the path of a field as the file spells it, or would spell it. */
  readonly spell: (path: string) => string
}

/** One rule about valid fields together. */
export type DocumentRule = (subject: RuleSubject) => readonly Finding[]

/** Creates the subject of the rules; `undefined` if the document could not be read. */
export function toSubject(result: ReadResult, options: DocumentCheckOptions): RuleSubject | undefined {
  const { document } = result
  if (!document) return undefined
  const inference = document.inference ?? {}
  const kind = inference.credential?.kind
  return {
    ...options,
    result,
    document,
    inference,
    os: selectSystem(result, options.os),
    spell: (path) => nameWrittenPath(result, path, kind),
  }
}

/** Selects the system that reads the document: Windows for a registry file, macOS for a property list, otherwise the given one. */
export function selectSystem(
  { container }: Pick<ReadResult, 'container'>,
  os: OperatingSystem | undefined,
): OperatingSystem | undefined {
  if (container === 'registry' || container === 'oma-uri') return 'windows'
  return container === 'property-list' ? 'macos' : os
}

/** Finds the document's credential; `undefined` if it has another kind. */
export function findCredential<Kind extends CredentialKind>(
  subject: RuleSubject,
  kind: Kind,
): (Credential & { kind: Kind }) | undefined {
  const { credential } = subject.inference
  return credential?.kind === kind ? (credential as Credential & { kind: Kind }) : undefined
}

/** Returns the nested path of a field of the credential. */
export function toCredentialPath(name: string): string {
  return `inference.credential.${name}`
}

/** Reports a required field that is not set, unless it was dropped with an error of its own. */
export function reportMissing(subject: RuleSubject, path: string, message: string, hint: string): Finding[] {
  const spelled = subject.spell(path)
  const isReported = subject.result.findings.some((other) => other.path === spelled && other.severity === 'error')
  return isReported ? [] : [createFinding('required-missing', spelled, message, hint)]
}

function nameWrittenPath(result: ReadResult, path: string, kind: CredentialKind | undefined): string {
  const found = result.values.find(({ field }) => field.path === path)
  if (found) return found.path
  const outer = result.values.find(({ field }) => field.path === path.slice(0, path.lastIndexOf('.')))
  if (outer) return joinPath(outer.path, path.slice(path.lastIndexOf('.') + 1))
  const field = fields.find((row) => row.path === path && (!row.kind || !kind || row.kind === kind))
  return result.shape === 'nested' ? path : (field?.flat ?? path)
}

/** Finds the helper by the executable's name, otherwise by the first argument, which selects a helper in an executable with several. */
export function findDocumentHelper(
  { command, commandWindows, args = [] }: HelperScriptCredential,
  os: OperatingSystem | undefined,
  isKnown: (name: string) => boolean,
): { readonly name: string; readonly args: readonly string[] } | undefined {
  const executable = (os === 'windows' ? commandWindows : undefined) ?? command ?? commandWindows ?? ''
  const [first = '', ...rest] = args
  const name = toHelperName(executable)
  if (isKnown(name)) return { name, args }
  return isKnown(first) ? { name: first, args: rest } : undefined
}

/** Strips the directory and the ending from a path of any system, also the endings with which a helper is run from a script. */
function toHelperName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return name.replace(/\.(exe|cmd|bat|ps1|cjs|js|mjs|ts)$/i, '')
}
