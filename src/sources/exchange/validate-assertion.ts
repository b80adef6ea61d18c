import { HelperError } from '../../runtime/failure.ts'
import { toleratedSkewSec } from '../clock-offset.ts'
import type { IdentitySource } from '../identity/identity-source.ts'
import { type Jwt, parseJwt } from '../jwt.ts'

/** What can be said of an identity token before it is sent. Nothing in it repeats the token. */
export type Judgement =
  /** `issuerAheadMs`: how far in the future it was issued; the issuer's clock is ahead of this machine's by as much. */
  | { readonly verdict: 'good'; readonly jwt: Jwt; readonly issuerAheadMs: number }
  | { readonly verdict: 'bad'; readonly failure: HelperError }

/** A token that ends sooner than this may be over when it arrives. Our decision. */
export const shortestLeftSec = 10

/** Judges a token by what it says of itself: form, algorithm, claims, times and audience. */
export function validateAssertion(
  text: string,
  { token, audience, renewal, audienceWay }: Pick<IdentitySource, 'token' | 'audience' | 'renewal' | 'audienceWay'>,
  now: number,
): Judgement {
  const bad = (what: string, way: string) => ({
    verdict: 'bad' as const,
    failure: new HelperError('not-configured', `${token} ${what}`, way),
  })
  const jwt = parseJwt(text)
  if (!jwt) return bad('is no JWT', renewal)
  if (/^none$/i.test(String(jwt.header.alg)) || jwt.signature === '')
    return bad('is not signed, so that nobody can believe it', 'have the identity provider sign its tokens')
  const missing = ['iss', 'sub'].filter((name) => typeof jwt.claims[name] !== 'string' || jwt.claims[name] === '')
  if (typeof jwt.claims.exp !== 'number') missing.push('exp')
  if (missing.length > 0)
    return bad(`lacks ${missing.join(' and ')}, which the exchange needs`, 'have the identity provider add it')
  const { aud } = jwt.claims
  if (audience !== undefined && ![aud].flat().includes(audience))
    return bad(`is for the audience ${describeAudience(aud)}, not for "${audience}"`, audienceWay)
  return validateTimes(jwt, now / 1000, bad, renewal)
}

function validateTimes(
  jwt: Jwt,
  nowSec: number,
  bad: (what: string, way: string) => Judgement,
  renewal: string,
): Judgement {
  const { exp, nbf, iat } = jwt.claims
  const leftSec = Number(exp) - nowSec
  if (leftSec < shortestLeftSec)
    return bad(
      `${leftSec > 0 ? 'ends' : 'ended'} at ${dateOf(exp)}, and here it is ${dateOf(nowSec)}`,
      `${renewal}; if it is not that late, set the clock of this machine`,
    )
  const issuerAheadMs = typeof iat === 'number' ? Math.max(0, iat - nowSec) * 1000 : 0
  // What was issued in the future was issued just now, by a clock that is right: the platform will see it so too.
  const isClockBehind = issuerAheadMs > toleratedSkewSec * 1000
  if (!isClockBehind && typeof nbf === 'number' && nbf - nowSec > toleratedSkewSec)
    return bad(`is not valid before ${dateOf(nbf)}, and here it is ${dateOf(nowSec)}`, `wait until then, or ${renewal}`)
  return { verdict: 'good', jwt, issuerAheadMs }
}

function describeAudience(aud: unknown): string {
  const names = [aud].flat().filter((name) => typeof name === 'string')
  return names.length > 0 ? names.map((name) => `"${name.slice(0, 200)}"`).join(', ') : 'of nobody'
}

function dateOf(seconds: unknown): string {
  const date = new Date(Math.floor(Number(seconds)) * 1000)
  return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString()
}
