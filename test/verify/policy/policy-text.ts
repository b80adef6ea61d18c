import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import type { Policy } from '../../../src/verify/policy/policy.ts'
import type { Identity } from '../../../src/verify/verdict.ts'

/** The issuer of {@link policyFile}. */
export const issuer = 'https://login.example'

/** Returns a policy file that has nothing wrong, with other members in place of its own. */
export function policyFile(members: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    issuers: [{ issuer, audiences: ['https://gateway.example'], longestLifeSec: 3600 }],
    rules: [{ name: 'people', issuer, claims: { groups: ['llm-*'] }, headers: { 'x-user': '{sub}' } }],
    ...members,
  }
}

/** Returns a file with these rules alone, as what a verifier uses. */
export function policyOf(rules: readonly unknown[]): Policy {
  const aws = { audience: 'gateway.example' }
  const { policy, findings } = parsePolicy(Buffer.from(JSON.stringify(policyFile({ aws, rules }))))
  if (!policy) throw new Error(JSON.stringify(findings))
  return policy
}

/** Returns the identity that a token of that issuer stands for. */
export function identityWith(claims: Readonly<Record<string, unknown>>): Identity {
  return {
    kind: 'jwt',
    issuer,
    subject: 'dana',
    claims: { iss: issuer, sub: 'dana', ...claims },
    issuedAt: 0,
    expiresAt: 1,
  }
}
