import { signatureAlgorithmNames } from '../../contract/signature-algorithms.ts'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import { examineJwt } from '../../verify/jwt/examine-jwt.ts'
import { createIssuerKeys } from '../../verify/jwt/issuer-keys.ts'
import type { IssuerKeys, JwtTrust } from '../../verify/policy/policy.ts'
import { clockSkewSec, unverified, validateLife } from './keyless-checks.ts'
import { renderValue, type TokenLife } from './shown-claims.ts'
import { reasonHints, type TokenCheck, toTokenChecks } from './token-check.ts'

/** The values to compare with a JWT, as far as they were given. */
export interface JwtTerms {
  readonly issuer: string | undefined
  /** The token must be for one of these audiences. An empty list accepts every audience. */
  readonly audiences: readonly string[]
  /** If `undefined`, the keys are discovered if the issuer was given; otherwise the signature is not verified. */
  readonly keys: Exclude<IssuerKeys, 'discovered'> | undefined
}

/** Makes every check of a JWT. Requests are sent only for its keys, to the given address or to the one that the given issuer publishes. */
export async function checkJwt(
  token: string,
  terms: JwtTerms,
  { life, now, fetch }: { readonly life: TokenLife; readonly now: number; readonly fetch: Fetch },
): Promise<TokenCheck[]> {
  const stated = parseJwt(token)?.claims.iss
  const iss = typeof stated === 'string' ? stated : undefined
  const keys = createIssuerKeys({ fetch, now: () => now })
  const trusts = listTrusts(terms, iss)
  const { checks } = await examineJwt(token, { trusts, keys, now, clockSkewSec })
  const isRead = checks.some(({ name, outcome }) => name === 'form' && outcome === 'pass')
  return toTokenChecks(checks, isRead ? [...listOpen(terms, iss), ...validateLife(life, now)] : [])
}

/** Without a given issuer, the token's own is used, and the check of the issuer is listed as open. */
function listTrusts({ issuer, audiences, keys }: JwtTerms, iss: string | undefined): JwtTrust[] {
  const name = issuer ?? iss
  if (name === undefined) return []
  const where = keys ?? (issuer === undefined ? { inline: { keys: [] } } : 'discovered')
  return [{ issuer: name, audiences, keys: where, algorithms: signatureAlgorithmNames }]
}

/** Lists the checks without a value to compare with. */
function listOpen({ issuer, audiences, keys }: JwtTerms, iss: string | undefined): TokenCheck[] {
  const open: [isOpen: boolean, name: string, message: string][] = [
    [issuer === undefined, 'issuer', `it names ${iss === undefined ? 'none' : renderValue(iss)}; --issuer compares it`],
    [audiences.length === 0, 'audience', 'not compared: --audience names the right one'],
    [issuer === undefined && keys === undefined, 'key', 'none was looked for'],
    [issuer === undefined && keys === undefined, 'signature', unverified],
  ]
  const listed = open.flatMap(([isOpen, name, message]): TokenCheck[] =>
    isOpen ? [{ name, status: 'not asked', message }] : [],
  )
  return issuer === undefined || iss === undefined || issuer === iss ? listed : [...listed, rejectIssuer(issuer, iss)]
}

function rejectIssuer(wanted: string, iss: string): TokenCheck {
  const message = `it is from ${renderValue(iss)}, and not from ${renderValue(wanted)}`
  return { name: 'issuer', status: 'unmet', message, reason: 'issuer', hint: reasonHints.issuer }
}
