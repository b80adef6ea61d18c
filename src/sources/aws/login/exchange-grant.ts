import { createPublicKey, type KeyObject, randomUUID, sign } from 'node:crypto'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import { clockHint, HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { fetchInTime } from '../../../runtime/network/fetch-in-time.ts'
import { isBusyStatus, isPageType, toBusyFailure } from '../../../runtime/network/network-failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import { encodePart } from '../../../runtime/tokens/jwt.ts'
import { isText, parseObject } from '../../../runtime/values/json-value.ts'
import { describeSkew, toClockOffset } from '../../clock-offset.ts'
import { toForeignAnswer } from '../request/foreign-answer.ts'
import { joinPath, resolveEndpoint } from '../resolve-endpoint.ts'
import { describeService, describeSignIn, type LoginSite } from './login-site.ts'

/**
 * Redeems a code or a refresh token. Within the life of a refresh token, AWS gives a repeated refresh the same answer (the service's
 * published model), so a refresh with a lost answer may be repeated; a code is valid once.
 * @throws {HelperError} `sign-in-required` if only a person can continue, `refused`, or `unavailable` if AWS is busy or something else
 * answered.
 */
export async function exchangeGrant(
  grant: Grant,
  key: KeyObject,
  { site, host: { clock }, call, fetch = fetchInTime }: LoginGrantParts,
): Promise<LoginTokens> {
  const url = joinPath(resolveEndpoint({ service: 'signin', region: site.region }, site.endpoints), 'v1/token').href
  let sentAt = clock.now()
  const response = await fetch(
    call,
    { name: describeService(site), url, isIdempotent: grant.grantType === 'refresh_token' },
    () => {
      sentAt = clock.now()
      const proof = signDpopProof(key, { url, now: sentAt })
      return {
        method: 'POST',
        headers: { 'content-type': 'application/json', DPoP: proof },
        body: JSON.stringify(grant),
      }
    },
  )
  const { status, headers } = response
  const clockOffsetMs = toClockOffset(headers, { sentAt, receivedAt: clock.now() })
  const text = await response.text()
  return parseTokenAnswer({ status, contentType: headers.get('content-type'), text, clockOffsetMs }, site)
}

/** A grant that is exchanged for tokens. Both kinds are bound to the key that signs the proof. */
type Grant =
  | { readonly grantType: 'refresh_token'; readonly clientId: string; readonly refreshToken: string }
  | {
      readonly grantType: 'authorization_code'
      readonly clientId: string
      readonly code: string
      readonly codeVerifier: string
      readonly redirectUri: string
    }

/** The site of the sign-in service, and the parts of a run that send a request to it. */
interface LoginGrantParts {
  readonly site: LoginSite
  readonly host: Pick<Host, 'clock'>
  readonly call: Pick<NetworkCall, 'deadline' | 'network'>
  /** A sign-in has its own `fetch`, because its deadline is the time that a person may take. */
  readonly fetch?: typeof fetchInTime
}

/**
 * Creates a proof of possession for one POST request (RFC 9449, section 4.2). It is used once.
 * @param url The address, without a query.
 * @param now In milliseconds since the epoch.
 */
function signDpopProof(key: KeyObject, { url, now }: { url: string; now: number }): string {
  const { kty, crv, x, y } = createPublicKey(key).export({ format: 'jwk' })
  const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } }
  const claims = { htm: 'POST', htu: url, iat: Math.floor(now / 1000), jti: randomUUID() }
  const text = `${encodePart(header)}.${encodePart(claims)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

/** The answer of the sign-in service to a code or a refresh token. */
export interface LoginTokens {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken: Secret
  readonly tokenType: string
  readonly refreshToken: Secret
  readonly expiresInSec: number
  /** The token that names the person; only for a code. */
  readonly idToken: Secret | undefined
  /** See `toClockOffset`. */
  readonly clockOffsetMs: number
}

/** An answer of the token endpoint of AWS sign-in, whatever its status. */
interface TokenAnswer {
  readonly status: number
  readonly contentType: string | null
  readonly text: string
  /** See `toClockOffset`. */
  readonly clockOffsetMs: number
}

/** Parses an answer of the token endpoint. @throws {HelperError} See {@link exchangeGrant}. */
function parseTokenAnswer(answer: TokenAnswer, site: LoginSite): LoginTokens {
  const { status, contentType, text, clockOffsetMs } = answer
  const service = describeService(site)
  if (isBusyStatus(status)) throw toBusyFailure(service, `HTTP ${status}`)
  const body = isPageType(contentType) ? undefined : parseObject(text)
  if (status >= 400 && body) throw toRefusal({ reason: body.error, status, clockOffsetMs }, site)
  const tokens = status < 300 && body ? parseTokens(body) : undefined
  if (tokens) return { ...tokens, clockOffsetMs }
  throw toForeignAnswer(service, status)
}

/**
 * Converts a refusal of the service. An unknown reason is repeated only if it looks like a code.
 * @param clockOffsetMs If it is large, the clock is the likely reason: AWS refuses a wrongly dated proof as malformed.
 */
function toRefusal(answer: { reason: unknown; status: number; clockOffsetMs: number }, site: LoginSite): HelperError {
  const { reason, status, clockOffsetMs } = answer
  const code = typeof reason === 'string' && /^\w{1,60}$/.test(reason) ? reason : undefined
  const known = code !== undefined && Object.hasOwn(refusals, code) ? refusals[code]?.(site) : undefined
  if (known) return new HelperError(known.kind, known.message, known.hint)
  const detail = [code, `HTTP ${status}`].filter(Boolean).join(', ')
  const message = `${describeService(site)} refused ${describeSignIn(site)} (${detail})`
  const skew = describeSkew(clockOffsetMs, "AWS's")
  if (skew !== undefined) return new HelperError('refused', `${message}: ${skew}`, clockHint)
  return new HelperError('refused', message, site.renewalHint)
}

function parseTokens({ accessToken, refreshToken, expiresIn, idToken, tokenType }: Record<string, unknown>) {
  const { accessKeyId, secretAccessKey, sessionToken } = (accessToken ?? {}) as Record<string, unknown> // checked below
  const texts = [accessKeyId, secretAccessKey, sessionToken, refreshToken, tokenType]
  if (!texts.every(isText)) return undefined
  if (typeof expiresIn !== 'number' || !(expiresIn > 0)) return undefined
  const [id, secret, session, refresh, type] = texts as [string, string, string, string, string] // five texts, as just checked
  return {
    accessKeyId: id,
    secretAccessKey: new Secret(secret),
    sessionToken: new Secret(session),
    tokenType: type,
    refreshToken: new Secret(refresh),
    expiresInSec: expiresIn,
    idToken: typeof idToken === 'string' ? new Secret(idToken) : undefined,
  }
}

/** The service's reasons for denying tokens, with their failures. Source: its published model, 2023-01-01, `OAuth2ErrorCode`. */
const refusals: Readonly<Record<string, (site: LoginSite) => Pick<HelperError, 'kind' | 'message' | 'hint'>>> = {
  TOKEN_EXPIRED: (site) => ({
    kind: 'sign-in-required',
    message: `${describeSignIn(site)} has ended`,
    hint: site.renewalHint,
  }),
  AUTHCODE_EXPIRED: (site) => ({
    kind: 'sign-in-required',
    message: `${describeSignIn(site)} took too long: AWS no longer accepts its code`,
    hint: site.renewalHint,
  }),
  USER_CREDENTIALS_CHANGED: (site) => ({
    kind: 'sign-in-required',
    message: `${describeSignIn(site)} has ended, because the password of ${site.session} or its permissions have changed`,
    hint: site.renewalHint,
  }),
  INSUFFICIENT_PERMISSIONS: (site) => ({
    kind: 'refused',
    message: `AWS does not allow ${site.session} the console sign-in for programs, which profile "${site.profile}" needs`,
    hint: 'have the AWS managed policy SignInLocalDevelopmentAccess attached to that identity',
  }),
}
