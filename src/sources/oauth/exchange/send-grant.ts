import { isCredentialWord } from '../../../contract/headers.ts'
import { describeUnexpected, parseExpiresIn } from '../../../contract/oauth-names.ts'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import { clockHint, HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { fetchInTime } from '../../../runtime/network/fetch-in-time.ts'
import { Secret } from '../../../runtime/secret.ts'
import { notAnObject, parseObject } from '../../../runtime/values/json-value.ts'
import { describeSkew, toClockOffset } from '../../clock-offset.ts'
import { describeRefusal } from './describe-refusal.ts'
import { encodeGrantRequest, type GrantRequest } from './encode-request.ts'
import { toTokenType, unusableTypes } from './token-types.ts'

/** The parts of a run that a request to a token endpoint uses. */
export interface GrantParts {
  readonly host: Pick<Host, 'clock'>
  readonly call: NetworkCall
}

/** An issued token, with the time and the clock offset of its exchange. */
export interface Granted extends GrantedToken {
  /** When the last attempt was sent: epoch milliseconds by this machine's clock. */
  readonly sentAt: number
  /** The offset of the server's clock; see `toClockOffset`. */
  readonly clockOffsetMs: number
}

/**
 * Sends a request to a token endpoint.
 * @throws {GrantRefusal} if the server refuses; `HelperError` `unavailable` or `late` if there is no usable answer.
 */
export async function sendGrant(
  request: GrantRequest,
  expected: Omit<ExpectedToken, 'host'>,
  { host: { clock }, call }: GrantParts,
): Promise<Granted> {
  const { url } = request.endpoint
  const target = {
    name: `the token exchange at ${url.host}`,
    url: url.href,
    isIdempotent: request.isIdempotent,
  }
  let sentAt = clock.now()
  const response = await fetchInTime(call, target, () => {
    sentAt = clock.now()
    return { method: 'POST', ...encodeGrantRequest(request) }
  })
  const { headers, status, ok } = response
  const times = { sentAt, receivedAt: clock.now() }
  const clockOffsetMs = toClockOffset(headers, times)
  const text = await response.text()
  const skew = describeSkew(clockOffsetMs, `that of ${url.host}`)
  if (!ok) throw describeRefusal({ status, text, skew }, request)
  const granted = parseGrantAnswer(text, { ...expected, host: url.host })
  if (skew !== undefined) call.warn(`${skew}; ${clockHint}`)
  return { ...granted, sentAt, clockOffsetMs }
}

/** A token that an endpoint has issued. */
interface GrantedToken {
  readonly token: Secret
  /** `undefined` if the answer has no `expires_in`. */
  readonly expiresInSec: number | undefined
  /** The granted scope; `undefined` if it is the requested one (RFC 6749, section 5.1). */
  readonly scope: string | undefined
}

/** The requested token, with which the answer is compared. */
interface ExpectedToken {
  /** The host of the endpoint, for messages. */
  readonly host: string
  /** `undefined` if the server chooses. */
  readonly type?: string | undefined
  /** Whether the token is for the gateway, or an assertion for another authorization server. */
  readonly use: 'bearer' | 'assertion'
}

/** In seconds: ten years. A larger number is not accepted as the life of a token. Our decision. */
const longestLifeSec = 10 * 366 * 86_400

/**
 * Parses the answer of a successful exchange (RFC 6749, section 5.1, and RFC 8693, section 2.2.1).
 * @throws {HelperError} `unavailable` that names the member and never repeats a token.
 */
function parseGrantAnswer(text: string, expected: ExpectedToken): GrantedToken {
  const answer = parseObject(text)
  if (!answer) throw toUnusable(expected, notAnObject)
  const { access_token, token_type, issued_token_type, expires_in, scope } = answer
  if (typeof access_token !== 'string' || !isCredentialWord(access_token))
    throw toUnusable(expected, describeUnexpected('access_token'))
  refuseIssuedType(issued_token_type, expected)
  if (expected.use === 'bearer') refuseTokenType(token_type, issued_token_type, expected)
  return {
    token: new Secret(access_token),
    expiresInSec: parseLife(expires_in, expected),
    scope: typeof scope === 'string' ? scope : undefined,
  }
}

/**
 * Refuses a missing or other `issued_token_type`. RFC 8693 requires this member, but here it is required only if a type was requested,
 * because RFC 6749 does not define it.
 */
function refuseIssuedType(issued: unknown, expected: ExpectedToken): void {
  const { type: wanted } = expected
  if (wanted !== undefined && issued !== wanted)
    throw toUnusable(expected, `it issued ${describeType(issued)}, not ${wanted}`, chooseMismatchHint(expected))
  if (typeof issued === 'string' && expected.use === 'bearer' && unusableTypes.has(issued))
    throw toUnusable(
      expected,
      `it issued ${describeType(issued)}, which no gateway takes`,
      'set exchange-requested-token-type to access_token, or to what the gateway verifies',
    )
}

/** Refuses a token type that cannot be a bearer token. `N_A` means that the token is not an access token (RFC 8693, section 2.2.1). */
function refuseTokenType(tokenType: unknown, issued: unknown, expected: ExpectedToken): void {
  const name = typeof tokenType === 'string' ? tokenType.toLowerCase() : undefined
  const isOther = typeof issued === 'string' && issued !== toTokenType('access_token')
  if (name === 'bearer' || (name === 'n_a' && isOther)) return
  if (name === 'dpop' || name === 'mac' || name === 'pop')
    throw toUnusable(
      expected,
      `its token is of the type ${name}, which needs a proof with each request`,
      `have ${expected.host} issue bearer tokens to this client, because that is all that the client sends`,
    )
  throw toUnusable(expected, describeUnexpected('token_type'))
}

function parseLife(stated: unknown, expected: ExpectedToken): number | undefined {
  if (stated === undefined || stated === null) return undefined
  const lifeSec = parseExpiresIn(stated)
  if (lifeSec > 0 && lifeSec <= longestLifeSec) return lifeSec
  throw toUnusable(expected, describeUnexpected('expires_in'))
}

/** Renders a token type. A server may send any text, so it is repeated only if it looks like the URI of a type. */
function describeType(issued: unknown): string {
  if (issued === undefined) return 'a token without issued_token_type'
  const isPlain = typeof issued === 'string' && /^[a-z][a-z0-9+.-]*:[\w:/.+-]{1,120}$/i.test(issued)
  return isPlain ? issued : 'a token of another type'
}

function chooseMismatchHint({ use, host }: ExpectedToken): string {
  return use === 'assertion'
    ? `have ${host} issue ID-JAGs, or set exchange to another form`
    : 'correct exchange-requested-token-type, or remove it to let the server choose'
}

function toUnusable({ host }: ExpectedToken, problem: string, hint?: string): HelperError {
  const fix = hint ?? `check that ${host} is the right server, and that nothing answers in its place`
  return new HelperError('unavailable', `the answer of ${host} to the token exchange cannot be used: ${problem}`, fix)
}
