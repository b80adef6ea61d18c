import type { KeyGateway } from '../../contract/aws/keys.ts'
import type { AuthScheme } from '../../contract/headers.ts'
import { clockHint, describeClockDifference, toleratedSkewSec } from '../../runtime/failure.ts'
import { isPageType } from '../../runtime/network/network-failure.ts'
import type { TokenFacts } from '../../runtime/tokens/token-facts.ts'
import type { PartExplanation } from '../examination.ts'
import type { GatewayAnswer } from '../session/turn.ts'
import { explainAwsError } from './explain-aws-error.ts'
import { explainStatus, hasError } from './explain-status.ts'
import { findKeyMismatch } from './find-key-mismatch.ts'
import { parseRefusal } from './parse-refusal.ts'
import {
  describeStatedToken,
  explainBadRequest,
  explainChallenge,
  explainInvalid,
} from './verifier/explain-challenge.ts'
import { explainVerifierRefusal, type VerifierRefusal } from './verifier/explain-verifier-refusal.ts'
import type { StatedToken } from './verifier/stated-token.ts'
import { toOtherScheme } from './verifier/token-causes.ts'

/** Explains a gateway's answer by its likely cause, most certain evidence first; pure. */
export function explainAnswer(examined: ExaminedAnswer): PartExplanation {
  const { status } = examined.answer
  if (hasAnsweredTurn(examined.answer)) return { outcome: 'good', cause: 'the gateway answered the turn' }
  if (examined.refusal) return explainVerifierRefusal(examined.refusal, toRefusalFacts(examined))
  if (status === 401 || status === 403 || isTokenRefused(examined.answer))
    return findTimeCause(examined) ?? findKeyCause(examined) ?? explainRefusal(examined)
  if (status === 400) {
    const { answer, headerNames, location } = examined
    const known = findKeyCause(examined) ?? explainTransport(answer) ?? explainAwsError(answer, detectOwner(examined))
    return known ?? explainBadRequest(answer, headerNames) ?? explainStatus(answer, location)
  }
  const isError = status >= 400 || hasError(examined.answer)
  return (
    (isError ? explainAwsError(examined.answer, detectOwner(examined)) : undefined) ??
    explainStatus(examined.answer, examined.location)
  )
}

/** An answer, and the facts for its explanation. */
interface ExaminedAnswer {
  readonly answer: GatewayAnswer
  readonly facts: TokenFacts
  readonly authScheme: AuthScheme
  /** The AWS service of the gateway, if its host names one. */
  readonly gateway?: KeyGateway | undefined
  /** The headers that were sent beside the token. */
  readonly headerNames: readonly string[]
  /** The time of the answer, in epoch milliseconds. */
  readonly now: number
  /** The claims of the token in the request. */
  readonly stated: StatedToken
  /** The refusal by a verifier behind the gateway. */
  readonly refusal?: VerifierRefusal | undefined
  /** The redirect address of the answer, without secrets. */
  readonly location?: string | undefined
}

function hasAnsweredTurn({ status, isMessage }: GatewayAnswer): boolean {
  return status === 200 && isMessage
}

/** Detects the owner of the credentials in an AWS error: the token, or the gateway that calls AWS. */
function detectOwner({ facts, gateway, stated }: ExaminedAnswer): 'token' | 'gateway' {
  return facts.awsKey || gateway || stated.kind === 'aws-identity' || stated.arn !== undefined ? 'token' : 'gateway'
}

/** Describes a clock that differs by more than the tolerance; `undefined` for a right or unknown clock. */
export function describeClock(answer: Pick<GatewayAnswer, 'headers'>, now: number, whose: string): string | undefined {
  const aheadSec = computeAheadSec(answer, now)
  if (!(Math.abs(aheadSec) > toleratedSkewSec)) return undefined
  return describeClockDifference(aheadSec * 1000, whose)
}

/**
 * Computes how many seconds this machine's clock is ahead of the gateway's; `NaN` if the gateway states no time. An answer from a cache has
 * the date of its creation (RFC 9111, section 5.1).
 */
function computeAheadSec({ headers }: Pick<GatewayAnswer, 'headers'>, now: number): number {
  const date = headers.has('age') ? Number.NaN : Date.parse(headers.get('date') ?? '')
  return Math.round((now - date) / 1000)
}

function toRefusalFacts(examined: ExaminedAnswer) {
  const { answer, facts, authScheme, headerNames, now, stated } = examined
  const aheadSec = computeAheadSec(answer, now)
  return {
    stated,
    authScheme,
    headerNames,
    aheadSec: Number.isNaN(aheadSec) ? undefined : aheadSec,
    leftSec: facts.end && Math.round((facts.end.at - now) / 1000),
  }
}

/** Returns whether a gateway refuses the token with another status than 401, by the code of RFC 6750, section 3.1, or the API's own. */
function isTokenRefused({ status, text }: GatewayAnswer): boolean {
  if (status < 400 || status >= 500) return false
  return ['invalid_token', 'authentication_error'].includes(parseRefusal(text).code ?? '')
}

/** Finds the cause of a 401 or 403: services differ in their status for an expired token. */
function findTimeCause({ answer, facts, now }: ExaminedAnswer): PartExplanation | undefined {
  const cause = describeClock(answer, now, "the gateway's")
  if (cause !== undefined) return { outcome: 'bad', cause, hint: clockHint }
  if (facts.end && facts.end.at <= now)
    return { outcome: 'bad', cause: 'the token has expired', hint: 'check whether the helper caches expired tokens' }
  return undefined
}

/** Explains a key that this gateway never accepts. */
function findKeyCause({ facts, gateway, headerNames }: ExaminedAnswer): PartExplanation | undefined {
  const mismatch = facts.awsKey && gateway && findKeyMismatch(facts.awsKey, gateway, headerNames)
  return mismatch && { outcome: 'bad', ...mismatch }
}

function explainRefusal(examined: ExaminedAnswer): PartExplanation {
  const { answer, facts, authScheme, gateway, stated, headerNames } = examined
  const known = explainAwsError(answer, detectOwner(examined)) ?? explainChallenge(answer, stated)
  if (known) return known
  if (answer.status === 403) return explainForbidden(answer, facts, gateway)
  const asked = answer.headers.get('www-authenticate')?.split(/[\s,]/)[0]?.toLowerCase() ?? ''
  const other = toOtherScheme(authScheme)
  if (asked === '' && /\b(invalid|incorrect|wrong) (x-)?api[-_ ]?key\b/i.test(answer.text))
    return explainInvalidKey(authScheme)
  const isWrongScheme = asked === 'bearer' ? authScheme !== 'bearer' : asked !== '' || hasMention(answer, other)
  if (isWrongScheme)
    return {
      outcome: 'bad',
      cause: `the gateway asks for a credential in another form; this one was sent as ${authScheme}`,
      hint: `set authScheme to "${other}" and try again`,
    }
  const invalid = explainInvalid(answer, stated, headerNames)
  if (invalid) return invalid
  return {
    outcome: 'bad',
    cause: 'the gateway does not know this token: it is meant for another gateway, issuer or account, or was revoked',
    hint: `ask the gateway's operators whom they trust${describeStatedToken(stated)}; if they take keys, set authScheme to "${other}"`,
  }
}

function explainForbidden({ headers }: GatewayAnswer, { awsKey }: TokenFacts, gateway?: KeyGateway): PartExplanation {
  if (isPageType(headers.get('content-type')))
    return {
      outcome: 'bad',
      cause: 'an HTML page came back; something between this machine and the gateway answered',
      hint: 'check for a proxy or a firewall in between',
    }
  if (awsKey)
    return {
      outcome: 'bad',
      cause: 'the AWS identity of the token is not allowed to do this',
      hint: `allow it ${(gateway ?? awsKey.service.uses[0])?.permissions}`,
    }
  return {
    outcome: 'bad',
    cause: 'the gateway knows the token, but it may not do this: a role, a model or a workspace is missing',
    hint: "ask the gateway's operators what this identity may do",
  }
}

/** Gateways may forward a model provider's message about the gateway's own key. */
function explainInvalidKey(authScheme: AuthScheme): PartExplanation {
  return {
    outcome: 'bad',
    cause: `a key is not valid: either the token has another form than the gateway asks for (it was sent as ${authScheme}), or it is the gateway's own key upstream`,
    hint: `set authScheme to "${toOtherScheme(authScheme)}" and try again; if the answer stays the same, have the gateway's operators check the key with which the gateway calls its model provider`,
  }
}

function hasMention({ text }: GatewayAnswer, scheme: AuthScheme): boolean {
  return new RegExp(scheme === 'bearer' ? '\\bbearer\\b' : 'x-api-key', 'i').test(text)
}

/** Recognizes the answers of nginx, Apache and Go's server to plain http on a TLS port. */
function explainTransport({ text }: GatewayAnswer): PartExplanation | undefined {
  if (
    !/plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL|HTTP request to an HTTPS server/i.test(
      text,
    )
  )
    return undefined
  return {
    outcome: 'bad',
    cause: 'that port speaks https, but the request used http',
    hint: 'write https:// into baseUrl',
  }
}
