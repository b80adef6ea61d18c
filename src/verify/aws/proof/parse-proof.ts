import { type ProofForm, proofLifeSec } from '../../../contract/aws-identity/caller-identity.ts'
import { findStsHost } from '../../../contract/aws-identity/sts-hosts.ts'
import { loginStart } from '../../../runtime/tokens/identity-proof.ts'
import { parseAmzDate } from '../../../runtime/tokens/presigned-request.ts'
import type { ExaminedCheck } from '../../examined-check.ts'
import type { AwsTrust } from '../../policy/policy.ts'
import { TokenRefusal } from '../../token-refusal.ts'
import { loginChecks } from './login-checks.ts'
import { formType } from './login-headers.ts'
import { type LoginParts, parseLogin } from './parse-login.ts'
import { parseUrlProof, type UrlParts } from './parse-url-proof.ts'
import type { ProofCheck, ProofTerms } from './proof-check.ts'
import { urlChecks } from './url-checks.ts'

/** A proof of an AWS identity of which everything holds that can be seen without asking AWS STS. */
export interface CallerProof {
  readonly form: ProofForm
  /** The host of AWS STS that it is for, and its partition. */
  readonly host: string
  readonly partition: string
  /** What is sent to that host: with the headers that are signed, and no other of the proof's. It holds a session token. */
  readonly request: {
    readonly url: string
    readonly method: 'GET' | 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }
  /** Epoch milliseconds. */
  readonly signedAt: number
  /** Epoch milliseconds: by the end that AWS STS knows, or the earlier one of the policy. */
  readonly expiresAt: number
  /** In hexadecimal: the same for every spelling of the same request. */
  readonly signature: string
}

/** The form of a proof, by its beginning; `undefined` for a token that is no proof that the policy knows; pure. */
export function detectProofForm(token: string, { prefix }: Pick<AwsTrust, 'prefix'>): ProofForm | undefined {
  if (token.startsWith(loginStart)) return 'vault'
  return token.startsWith(prefix === '' ? urlStart : prefix) ? 'url' : undefined
}

/** `https://` in base64url. */
const urlStart = 'aHR0cHM6Ly'

/**
 * Parses a proof and checks everything that can be seen in it.
 * @throws {TokenRefusal} with the reason of the first check that fails.
 */
export function parseProof(token: string, terms: ProofTerms): CallerProof {
  return detectProofForm(token, terms.trust) === 'vault'
    ? fromLogin(refuseProblems(parseLogin(token), loginChecks, terms), terms)
    : fromUrl(refuseProblems(parseUrlProof(token, terms.trust.prefix), urlChecks, terms), terms)
}

/** Says of every check of a proof how it ended, in the order of the checks; pure. */
export function examineProof(token: string, terms: ProofTerms): ExaminedCheck[] {
  return detectProofForm(token, terms.trust) === 'vault'
    ? examineParts(parseLogin(token), loginChecks, terms)
    : examineParts(parseUrlProof(token, terms.trust.prefix), urlChecks, terms)
}

function examineParts<Parts>(parts: Parts, checks: readonly ProofCheck<Parts>[], terms: ProofTerms): ExaminedCheck[] {
  return checks.map(({ name, find, holds }) => {
    const found = find(parts, terms)
    if (found === 'skipped')
      return { name, outcome: 'skipped', note: 'it could not be read, because of a check before it' }
    if (found) return { name, outcome: 'fail', ...found }
    return { name, outcome: 'pass', note: typeof holds === 'string' ? holds : holds(parts, terms) }
  })
}

function refuseProblems<Parts>(parts: Parts, checks: readonly ProofCheck<Parts>[], terms: ProofTerms): Parts {
  for (const { name, find } of checks) {
    const found = find(parts, terms)
    if (found === undefined) continue
    // A check is skipped because of one that failed before it.
    if (found === 'skipped') throw new Error(`the check ${name} was skipped, and none before it failed`)
    throw new TokenRefusal(found.reason, { note: `${name}: ${found.note}` })
  }
  return parts
}

function fromUrl({ address, claim }: UrlParts, terms: ProofTerms): CallerProof {
  const { audience } = terms.trust
  const headers = { accept: 'application/json', ...(audience !== 'none' && { [audience.header]: audience.value }) }
  return { form: 'url', request: { url: address!.text, method: 'GET', headers }, ...toFacts({ address, claim }, terms) }
}

function fromLogin({ address, claim, headers, body = '' }: LoginParts, terms: ProofTerms): CallerProof {
  const signed = claim!.signedHeaders.filter((name) => name !== 'host')
  const sent = ['authorization', ...signed].map((name) => [name, headers!.get(name)!])
  // What is signed takes the place of ours.
  const all = { accept: 'application/json', 'content-type': formType, ...Object.fromEntries(sent) }
  const request = { method: 'POST', headers: all, body } as const
  const url = `https://${address!.authority}/`
  return { form: 'vault', request: { url, ...request }, ...toFacts({ address, claim }, terms) }
}

/** What the checks have found to be there. */
function toFacts({ address, claim }: Pick<UrlParts, 'address' | 'claim'>, { trust }: ProofTerms) {
  const host = address!.authority
  const { partition } = findStsHost(host, trust.partitions)!
  const signedAt = parseAmzDate(claim!.date!)!
  const expiresAt = signedAt + Math.min(proofLifeSec, trust.longestAgeSec) * 1000
  return { host, partition, signedAt, expiresAt, signature: claim!.signature! }
}
