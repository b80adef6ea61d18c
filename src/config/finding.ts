import { providerProblems } from '../contract/identity-providers/provider-settings.ts'
import type { RawObject } from '../runtime/values/json-value.ts'
import type { Positions } from '../runtime/values/position.ts'

/** The severities with their headings, the worst first. */
export const severities: readonly { readonly severity: Severity; readonly title: string }[] = [
  { severity: 'error', title: 'Errors: this will not take effect, or gives no credential' },
  { severity: 'warning', title: 'Warnings: this works, but will cause problems' },
  { severity: 'info', title: 'Good to know' },
]

/** Compares two severities, for a sort with the worst first. */
export function compareSeverity(a: Severity, b: Severity): number {
  return order.indexOf(a) - order.indexOf(b)
}

const order = severities.map(({ severity }) => severity)

/** Every code of a finding, with its severity. */
export const severityByCode = {
  // The document cannot be read at all.
  'empty-file': 'error',
  'too-large': 'error',
  'too-deep': 'error',
  'not-utf8': 'error',
  utf16: 'error',
  'not-json': 'error',
  'not-an-object': 'error',
  'html-page': 'error',
  'no-document': 'error',
  'signed-profile': 'error',
  'entity-declared': 'error',
  'broken-property-list': 'error',
  'broken-registry-file': 'error',
  'registry-header': 'error',
  'registry-line': 'error',
  'payload-missing': 'error',
  'policy-key-missing': 'error',
  'fetch-failed': 'error',
  'fetch-status': 'error',
  'fetch-redirected': 'error',
  'file-unreadable': 'error',

  // The container.
  'byte-order-mark': 'warning',
  'duplicate-key': 'warning',
  'reserved-key': 'warning',
  'other-payload-type': 'error',
  'native-value': 'warning',
  'other-policy-key': 'error',
  'registry-type': 'error',
  'registry-escape': 'error',
  'registry-subkey': 'warning',
  'user-hive-ignored': 'warning',
  'read-as-managed': 'info',
  'file-owner': 'error',
  'file-mode': 'error',
  'file-link': 'error',

  // The fields.
  'wrong-type': 'error',
  'out-of-range': 'error',
  'invalid-value': 'error',
  'silent-refresh-unreadable': 'warning',
  'url-user-information': 'error',
  'url-loopback-served': 'error',
  'trust-anchor-served': 'error',
  'url-origin-pinned': 'error',
  'header-refused': 'error',
  'unknown-field': 'warning',
  'flat-key-in-nested': 'error',
  'foreign-provider': 'warning',
  'outside-specification': 'info',
  'not-in-specification': 'info',
  'no-managed-key': 'warning',
  'deprecated-spelling': 'warning',
  'spelling-overridden': 'warning',
  'other-kind': 'warning',
  'kind-unset': 'warning',
  'kind-unset-two-sources': 'error',

  // Valid fields together.
  'not-activated': 'info',
  'provider-missing': 'error',
  'credential-missing': 'error',
  'required-missing': 'error',
  'credential-in-headers': 'error',
  'arguments-in-path': 'error',
  'tilde-in-path': 'error',
  'variable-in-path': 'error',
  'relative-path': 'error',
  'unc-path': 'error',
  'control-in-path': 'error',
  'blank-at-end': 'error',
  'slash-at-end': 'error',
  'file-type': 'error',
  'windows-path-in-command': 'warning',
  'path-of-one-system': 'warning',
  'placeholder-key': 'error',
  'placeholder-key-unused': 'warning',
  'scopes-missing': 'error',
  'issuer-and-urls': 'warning',
  'insecure-url': 'error',
  'insecure-base-url': 'warning',
  'base-url-query': 'warning',
  'base-url-api-path': 'warning',
  'not-a-host': 'error',
  'redirect-localhost': 'info',
  'broker-needed': 'info',
  ...providerProblems,
  expired: 'warning',
  'expires-late': 'warning',
  'empty-profile': 'error',
  'helper-arguments': 'error',
  'helper-settings': 'error',
  'helper-proxy': 'warning',
  'helper-option-unset': 'info',
  'gateway-service': 'error',
  'gateway-service-unset': 'warning',
  'gateway-region': 'error',
  'ttl-without-turn-check': 'warning',
  'ttl-beyond-token': 'warning',
  'ttl-differs': 'warning',
  'timeout-differs': 'warning',
  'refresh-clamped': 'info',
  'session-shorter-than-ttl': 'warning',
  'consent-asked': 'info',
  'newer-than-client': 'error',
  'other-reader': 'error',

  // Values that a conversion or an export leaves out.
  'kept-aside': 'warning',
  'not-exportable': 'error',

  // The machine.
  'command-missing': 'error',
  'command-not-executable': 'error',
  'command-writable': 'error',
  'command-quarantined': 'error',
  'cli-missing': 'error',
} as const satisfies Record<string, Severity>

/** Stable names of findings, on which scripts may rely. */
export type FindingCode = keyof typeof severityByCode

/** Creates a finding with the severity of its code. `message` may name a type, but never a value, which may be a secret. */
export function createFinding(code: FindingCode, path: string, message: string, hint: string): Finding {
  return { path, code, severity: severityByCode[code], message, hint }
}

/** `error`: has no effect, or leads to no credential. `warning`: works, but will cause problems. `info`: good to know. */
export type Severity = 'error' | 'warning' | 'info'

/** One result of reading or checking a document; with other codes, of another kind of file. */
export interface Finding<Code extends string = FindingCode> {
  /** The nested path or the flat key, as the file spells it. Empty when the finding is about the whole file. */
  readonly path: string
  readonly code: Code
  readonly severity: Severity
  readonly message: string
  /** How to fix it, in the imperative. Empty when there is nothing to do. */
  readonly hint: string
  /** The line in the file, counted from 1; absent if the form has no lines or the path is not in it. */
  readonly line?: number
  readonly column?: number
}

/** The content of a container, before its fields are parsed. `entries` is `undefined` when it is unreadable. */
export interface Raw {
  readonly entries: RawObject | undefined
  readonly findings: readonly Finding[]
  /** Absent where the container has no lines, or is unreadable. */
  readonly positions?: Positions
}
