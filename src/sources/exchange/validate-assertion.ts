import { clockHint, HelperError, toleratedSkewSec } from '../../runtime/failure.ts'
import { type Jwt, parseJwt } from '../../runtime/tokens/jwt.ts'
import { renderDate } from '../../runtime/values/duration.ts'
import type { IdentitySource } from '../identity/identity-source.ts'

/** In seconds: a token that expires sooner may have expired when it arrives. Our decision. */
export const shortestLeftSec = 10

/**
 * Validates a token by its own statements: form, algorithm, claims, times and audience.
 * @param now Epoch milliseconds.
 */
export function validateAssertion(
  text: string,
  {
    token,
    audience,
    renewalHint,
    audienceHint = 'correct audience',
  }: Pick<IdentitySource, 'token' | 'audience' | 'renewalHint' | 'audienceHint'>,
  now: number,
): AssertionResult {
  const reject = (problem: string, hint: string) => ({
    ok: false as const,
    failure: new HelperError('not-configured', `${token} ${problem}`, hint),
  })
  const jwt = parseJwt(text)
  if (!jwt) return reject('is not a JWT', renewalHint)
  if (/^none$/i.test(String(jwt.header.alg)) || jwt.signature === '')
    return reject('is not signed, so nobody can verify it', 'have the identity provider sign its tokens')
  const missing = ['iss', 'sub'].filter((name) => typeof jwt.claims[name] !== 'string' || jwt.claims[name] === '')
  if (typeof jwt.claims.exp !== 'number') missing.push('exp')
  if (missing.length > 0)
    return reject(`lacks ${missing.join(' and ')}, which the exchange needs`, 'have the identity provider add it')
  const { aud } = jwt.claims
  if (audience !== undefined && ![aud].flat().includes(audience))
    return reject(`is for ${describeAudience(aud)}, not for "${audience}"`, audienceHint)
  return validateTimes(jwt, now / 1000, reject, renewalHint)
}

/** The result of validating an identity token before it is sent. A failure's message never repeats the token. */
type AssertionResult =
  /** `issuerAheadMs`: how far the token's `iat` lies in the future, which shows how far the issuer's clock is ahead of this machine's. */
  | { readonly ok: true; readonly jwt: Jwt; readonly issuerAheadMs: number }
  | { readonly ok: false; readonly failure: HelperError }

function describeAudience(aud: unknown): string {
  const names = [aud].flat().filter((name) => typeof name === 'string')
  return names.length > 0 ? `the audience ${names.map((name) => `"${name.slice(0, 200)}"`).join(', ')}` : 'no audience'
}

function validateTimes(
  jwt: Jwt,
  nowSec: number,
  reject: (problem: string, hint: string) => AssertionResult,
  renewalHint: string,
): AssertionResult {
  const { exp, nbf, iat } = jwt.claims
  const leftSec = Number(exp) - nowSec
  const here = `this machine's time is ${toDateText(nowSec)}`
  if (leftSec < shortestLeftSec)
    return reject(
      `${leftSec > 0 ? 'expires' : 'expired'} at ${toDateText(exp)}; ${here}`,
      `${renewalHint}; if that time is wrong, ${clockHint}`,
    )
  const issuerAheadMs = typeof iat === 'number' ? Math.max(0, iat - nowSec) * 1000 : 0
  // A token dated far in the future shows that this machine's clock is behind, and then a future `nbf` is no problem.
  const isClockBehind = issuerAheadMs > toleratedSkewSec * 1000
  if (!isClockBehind && typeof nbf === 'number' && nbf - nowSec > toleratedSkewSec)
    return reject(`is not valid before ${toDateText(nbf)}; ${here}`, `wait until then, or ${renewalHint}`)
  return { ok: true, jwt, issuerAheadMs }
}

function toDateText(seconds: unknown): string {
  return renderDate(Math.floor(Number(seconds)) * 1000)
}
