/** The problem of one value. Neither text repeats a value, because a value may be a secret that was pasted by mistake. */
export interface PolicyProblem {
  readonly code: PolicyCode
  readonly message: string
  /** How to fix it, in the imperative. */
  readonly hint: string
}

/** One result of reading a policy. */
export interface PolicyFinding extends PolicyProblem {
  readonly severity: (typeof policySeverities)[PolicyCode]
  /** The path of the value, such as `rules[0].headers.x-user`; empty for the whole file. */
  readonly path: string
  /** The position in the text of the file, counted from 1. */
  readonly line?: number
  readonly column?: number
}

/** Creates a finding about a policy, with the severity that the table gives its code. */
export function createPolicyFinding(code: PolicyCode, path: string, message: string, hint: string): PolicyFinding {
  return { path, code, severity: policySeverities[code], message, hint }
}

export function toPolicyFinding({ code, message, hint }: PolicyProblem, path: string): PolicyFinding {
  return createPolicyFinding(code, path, message, hint)
}

/** Every code that reading a policy or testing it can report, with its severity. */
const policySeverities = {
  // The file cannot be read at all.
  'file-unreadable': 'error',
  'file-mode': 'error',
  'file-owner': 'error',
  'too-large': 'error',
  'too-deep': 'error',
  'not-utf8': 'error',
  utf16: 'error',
  'empty-file': 'error',
  'html-page': 'error',
  'not-json': 'error',
  'not-an-object': 'error',
  'not-a-policy': 'error',
  'left-out': 'info',

  // Keys and values.
  'byte-order-mark': 'warning',
  'duplicate-key': 'error',
  'reserved-key': 'error',
  'unknown-key': 'error',
  'required-missing': 'error',
  'wrong-type': 'error',
  'out-of-range': 'error',
  'invalid-value': 'error',

  // Issuers and their keys.
  'insecure-url': 'error',
  'issuer-inexact': 'error',
  'issuer-of-any-tenant': 'warning',
  'duplicate-issuer': 'error',
  'issuer-similar': 'warning',
  'issuer-unused': 'warning',
  'keys-ambiguous': 'error',
  'keys-missing': 'error',
  'keys-unusable': 'error',
  'private-key': 'error',
  'symmetric-algorithm': 'error',
  'life-unbounded': 'info',
  'introspection-missing': 'error',

  // Rules.
  'no-rules': 'warning',
  'duplicate-rule': 'error',
  'rule-of-nobody': 'error',
  'unknown-issuer': 'error',
  'aws-missing': 'error',
  'aws-unused': 'warning',
  'audience-unsigned': 'warning',
  'everyone-unsaid': 'error',
  'issuer-of-anyone': 'error',
  'pattern-open': 'warning',
  'rule-hidden': 'warning',
  'once-undone': 'warning',
  'everyone-contradicted': 'error',
  'every-account-unsaid': 'error',
  'unknown-claim': 'error',
  'claim-misspelled': 'warning',
  'arn-never-seen': 'error',
  'email-unverified': 'info',

  // Headers.
  'header-refused': 'error',
  'duplicate-header': 'error',
  'template-broken': 'error',
  'unknown-map': 'error',
  'map-unused': 'warning',

  // Tenants.
  'tenant-unclear': 'error',

  // Cases of `gatepass gateway policy test`.
  'case-unusable': 'error',
  'duplicate-case': 'error',
  'unknown-rule': 'error',
  'unknown-header': 'error',
  'case-failed': 'error',
  'token-live': 'warning',
  'rule-unreached': 'warning',
} as const satisfies Readonly<Record<string, 'error' | 'warning' | 'info'>>

type PolicyCode = keyof typeof policySeverities

/** The hint for a name that two rules, or two groups, have. */
export const duplicateNameHint = 'choose another one: logs and metrics show it'
