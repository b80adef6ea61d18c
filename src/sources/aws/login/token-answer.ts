import { HelperError } from '../../../runtime/failure.ts'
import { parseObject } from '../../../runtime/parse-object.ts'
import { Secret } from '../../../runtime/secret.ts'
import { interceptionHint } from '../sdk/interception-hint.ts'
import { describeService, type LoginSite } from './login-site.ts'
import { toRefusal } from './refusals.ts'

/** What the sign-in service gives for a code or a refresh token. */
export interface IssuedTokens {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken: Secret
  readonly tokenType: string
  readonly refreshToken: Secret
  readonly expiresInSec: number
  /** Says who has signed in; only for a code. */
  readonly idToken: Secret | undefined
  /** AWS's clock less this machine's, in milliseconds. */
  readonly clockOffsetMs: number
}

/** An answer over HTTP. */
export interface TokenAnswer {
  readonly status: number
  readonly contentType: string | null
  readonly text: string
  /** AWS's clock less this machine's, in milliseconds. */
  readonly clockOffsetMs: number
}

/**
 * Reads an answer of the token endpoint.
 * @throws {HelperError} `sign-in-required` where only a person can go on, `refused`, or `unavailable` where AWS is busy or
 * something else answered.
 */
export function parseTokenAnswer(answer: TokenAnswer, site: LoginSite): IssuedTokens {
  const { status, contentType, text, clockOffsetMs } = answer
  const service = describeService(site)
  if (status >= 500 || status === 429 || status === 408)
    throw new HelperError('unavailable', `${service} is busy or broken (HTTP ${status})`, 'try again in a moment')
  const body = contentType?.startsWith('text/html') ? undefined : parseObject(text)
  if (status >= 400 && body) throw toRefusal({ reason: body.error, status, clockOffsetMs }, site)
  const tokens = status < 300 && body ? parseTokens(body) : undefined
  if (tokens) return { ...tokens, clockOffsetMs }
  throw new HelperError(
    'unavailable',
    `${service} answered with something that is no answer of AWS (HTTP ${status})`,
    interceptionHint,
  )
}

function parseTokens({ accessToken, refreshToken, expiresIn, idToken, tokenType }: Record<string, unknown>) {
  const { accessKeyId, secretAccessKey, sessionToken } = (accessToken ?? {}) as Record<string, unknown> // checked below
  const texts = [accessKeyId, secretAccessKey, sessionToken, refreshToken, tokenType]
  if (!texts.every((text): text is string => typeof text === 'string' && text !== '')) return undefined
  if (typeof expiresIn !== 'number' || !(expiresIn > 0)) return undefined
  const [id, secret, session, refresh, type] = texts as [string, string, string, string, string] // five, as above
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
