import { type ProofForm, proofLifeSec } from '../../contract/aws/caller-identity.ts'
import { findStsHost } from '../../contract/aws/sts-hosts.ts'
import { formType } from '../../runtime/network/server-request.ts'
import { parseAmzDate } from '../../runtime/tokens/presigned-request.ts'
import { loginStart } from '../../runtime/tokens/proof-facts.ts'
import type { AwsTrust } from '../policy/policy.ts'
import { type ExaminedCheck, TokenRefusal } from '../verdict.ts'
import { loginChecks, parseLogin, type VaultLoginParts } from './login-proof.ts'
import type { ProofCheck, ProofTerms } from './proof-check.ts'
import { parseUrlProof, type UrlParts, urlChecks } from './url-proof.ts'

/** A proof of an AWS identity that passed every check except the request to AWS STS. */
export interface CallerProof {
  readonly form: ProofForm
  /** The host of AWS STS that the proof is for, and the partition of that host. */
  readonly host: string
  readonly partition: string
  /** The request to that host, with the signed headers and no other header of the proof. It holds a session token. */
  readonly request: {
    readonly url: string
    readonly method: 'GET' | 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }
  /** Epoch milliseconds. */
  readonly signedAt: number
  /** Epoch milliseconds: the end that AWS STS sets or the one that the policy sets, whichever is earlier. */
  readonly expiresAt: number
  /** The access key that the proof states: only AWS STS can tell who owns it. */
  readonly accessKeyId: string
  /** In hexadecimal; the same for every spelling of the same request. */
  readonly signature: string
}

/**
 * Parses a proof and makes every check that needs no request.
 * @throws {TokenRefusal} with the reason of the first check that fails.
 */
export function parseProof(token: string, terms: ProofTerms): CallerProof {
  return detectProofForm(token, terms.trust) === 'vault'
    ? fromLogin(requireSound(parseLogin(token), loginChecks, terms), terms)
    : fromUrl(requireSound(parseUrlProof(token, terms.trust.prefix), urlChecks, terms), terms)
}

/** Detects the form of a proof by its beginning; `undefined` for any other token; pure. */
function detectProofForm(token: string, { prefix }: Pick<AwsTrust, 'prefix'>): ProofForm | undefined {
  if (token.startsWith(loginStart)) return 'vault'
  return token.startsWith(prefix === '' ? urlStart : prefix) ? 'url' : undefined
}

/** The first characters of `https://` in base64url, which are the same whatever follows. */
export const urlStart = 'aHR0cHM6Ly'

/** Makes every check of a proof, in the order of the checks; pure. */
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

function requireSound<Parts>(parts: Parts, checks: readonly ProofCheck<Parts>[], terms: ProofTerms): Parts {
  for (const { name, find } of checks) {
    const found = find(parts, terms)
    if (found === undefined) continue
    // A check is skipped because of one that failed before it.
    if (found === 'skipped') throw new Error(`the check ${name} was skipped, and none before it failed`)
    throw new TokenRefusal(found.reason, { note: `${name}: ${found.note}` })
  }
  return parts
}

function fromLogin({ address, claim, headers, body = '' }: VaultLoginParts, terms: ProofTerms): CallerProof {
  const signed = claim!.signedHeaders.filter((name) => name !== 'host')
  const sent = ['authorization', ...signed].map((name) => [name, headers!.get(name)!])
  // Headers that the proof signs replace ours.
  const all = { accept: 'application/json', 'content-type': formType, ...Object.fromEntries(sent) }
  const request = { method: 'POST', headers: all, body } as const
  const url = `https://${address!.authority}/`
  return { form: 'vault', request: { url, ...request }, ...toFacts({ address, claim }, terms) }
}

function fromUrl({ address, claim }: UrlParts, terms: ProofTerms): CallerProof {
  const { audience } = terms.trust
  const headers = { accept: 'application/json', ...(audience !== 'none' && { [audience.header]: audience.value }) }
  return { form: 'url', request: { url: address!.text, method: 'GET', headers }, ...toFacts({ address, claim }, terms) }
}

/** Returns the facts that the checks have found to be present. */
function toFacts({ address, claim }: Pick<UrlParts, 'address' | 'claim'>, { trust }: ProofTerms) {
  const host = address!.authority
  const { partition } = findStsHost(host, trust.partitions)!
  const signedAt = parseAmzDate(claim!.date!)!
  const expiresAt = signedAt + Math.min(proofLifeSec, trust.longestAgeSec) * 1000
  return {
    host,
    partition,
    signedAt,
    expiresAt,
    signature: claim!.signature!,
    accessKeyId: claim!.credential!.split('/')[0]!,
  }
}
