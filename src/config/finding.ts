/** How much a finding can matter, the worst first, in the words of a heading. */
export const severities: readonly { readonly severity: Severity; readonly title: string }[] = [
  { severity: 'error', title: 'Errors: this will not take effect, or gives no credential' },
  { severity: 'warning', title: 'Warnings: this works and will hurt' },
  { severity: 'info', title: 'Good to know' },
]

/** Every code that reading or checking can report, and how much it matters. */
export const severityOf = {
  // The document cannot be read at all.
  'empty-file': 'error',
  'too-large': 'error',
  'too-deep': 'error',
  'not-utf8': 'error',
  utf16: 'error',
  'not-json': 'error',
  'not-an-object': 'error',
  'html-page': 'error',
  'signed-profile': 'error',
  'entity-declared': 'error',
  'broken-property-list': 'error',
  'broken-registry-file': 'error',
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
  'url-origin-pinned': 'error',
  'header-refused': 'error',
  'unknown-field': 'warning',
  'flat-key-in-nested': 'error',
  'outside-specification': 'info',
  'not-in-specification': 'info',
  'no-managed-key': 'warning',
  'deprecated-spelling': 'warning',
  'spelling-overridden': 'warning',
  'other-kind': 'warning',
  'kind-unset': 'warning',
  'kind-unset-two-sources': 'error',

  // What valid fields mean together.
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
  'windows-path-in-command': 'warning',
  'placeholder-key': 'error',
  'placeholder-key-unused': 'warning',
  'scopes-missing': 'error',
  'issuer-and-urls': 'warning',
  'insecure-url': 'error',
  'insecure-base-url': 'warning',
  'offline-access-off': 'warning',
  'redirect-localhost': 'info',
  'helper-arguments': 'error',
  'helper-settings': 'error',
  'ttl-without-turn-check': 'warning',
  'ttl-beyond-token': 'warning',
  'ttl-differs': 'warning',
  'timeout-differs': 'warning',
  'refresh-clamped': 'info',
  'session-shorter-than-ttl': 'warning',
  'consent-asked': 'info',
  'newer-than-client': 'error',
  'other-reader': 'error',

  // What a conversion or an export cannot carry.
  'kept-aside': 'warning',
  'not-exportable': 'error',

  // The machine itself.
  'command-missing': 'error',
  'command-not-executable': 'error',
  'command-writable': 'error',
  'command-quarantined': 'error',
  'cli-missing': 'error',
} as const satisfies Record<string, Severity>

export type FindingCode = keyof typeof severityOf

/** A finding with the severity that its code has. `message` names types, never a value that may be a secret. */
export function finding(code: FindingCode, path: string, message: string, hint: string): Finding {
  return { path, code, severity: severityOf[code], message, hint }
}

/** `a.b` for plain names; anything else is quoted, so that a key cannot write to a terminal. */
export function joinPath(path: string, segment: string | number): string {
  if (typeof segment === 'number') return `${path}[${segment}]`
  if (!/^[$\w-]+$/.test(segment)) return `${path}[${JSON.stringify(segment)}]`
  return path === '' ? segment : `${path}.${segment}`
}

/** `error`: will not take effect, or no credential can result. `warning`: works and will hurt. `info`: good to know. */
export type Severity = 'error' | 'warning' | 'info'

/** One thing to know about a document. */
export interface Finding {
  /** Where, in the shape that the file uses: a nested path or a flat key. Empty when it is about the whole file. */
  readonly path: string
  /** Stable; scripts may rely on it. */
  readonly code: FindingCode
  readonly severity: Severity
  readonly message: string
  /** What to do about it, in the imperative. Empty when there is nothing to do. */
  readonly hint: string
}
