import type { ExaminedCheck } from '../../examined-check.ts'
import { examineAudience, examineConfirmation, examineSubject } from './claim-checks.ts'
import { examineAlgorithm, examineCriticalHeaders, examineIssuer, examineType } from './header-checks.ts'
import type { CheckResult, ExamineFacts } from './jwt-check.ts'
import { examineAge, examineExpiry, examineIssuedAt, examineLife, examineNotBefore } from './time-checks.ts'

/** What is looked at before the key of a token is: a token that fails here costs neither a request nor a signature. */
export const headerChecks = {
  'critical headers': examineCriticalHeaders,
  issuer: examineIssuer,
  type: examineType,
  algorithm: examineAlgorithm,
} as const satisfies Readonly<Record<string, ExamineFacts>>

/** What is looked at once the signature holds: only then does it matter what a token says. */
export const claimChecks = {
  subject: examineSubject,
  audience: examineAudience,
  expiry: examineExpiry,
  'not before': examineNotBefore,
  'issued at': examineIssuedAt,
  life: examineLife,
  age: examineAge,
  confirmation: examineConfirmation,
} as const satisfies Readonly<Record<string, ExamineFacts>>

/** Every check of a JWT, by the name under which it is listed. */
export type JwtCheckName = 'form' | keyof typeof headerChecks | 'key' | 'signature' | keyof typeof claimChecks

/** A check that was made. */
export type JwtCheck = CheckResult & ExaminedCheck & { readonly name: JwtCheckName }

/** All of them in the order in which they are made; the first that does not hold is the reason of a refusal. */
export const jwtCheckNames = [
  'form',
  ...Object.keys(headerChecks),
  'key',
  'signature',
  ...Object.keys(claimChecks),
] as readonly JwtCheckName[]
