import type { AuthScheme } from '../../../config/document.ts'
import type { KeyGateway } from '../../../contract/aws-keys.ts'
import type { TokenFacts } from '../../../runtime/tokens/token-facts.ts'
import type { Explanation } from '../../explanation.ts'
import type { GatewayAnswer } from '../../turn/turn.ts'
import { explainAwsError } from './explain-aws-error.ts'
import { findKeyMismatch } from './find-key-mismatch.ts'
import { parseRefusal } from './parse-refusal.ts'
import { explainBadRequest } from './verifier/explain-bad-request.ts'
import { describeOwn, explainChallenge, explainInvalid } from './verifier/explain-challenge.ts'
import { explainVerifierRefusal } from './verifier/explain-verifier-refusal.ts'
import type { StatedToken } from './verifier/stated-token.ts'
import type { VerifierRefusal } from './verifier/verifier-refusal.ts'

/** An answer with everything by which it is explained. */
export interface ExaminedAnswer {
  readonly answer: GatewayAnswer
  readonly facts: TokenFacts
  readonly authScheme: AuthScheme
  /** The service of AWS that the gateway belongs to, if its host names one. */
  readonly gateway?: KeyGateway | undefined
  /** The headers that were sent beside the token. */
  readonly headerNames?: readonly string[]
  /** When the answer came, in epoch milliseconds. */
  readonly now: number
  /** What the token says of itself. */
  readonly stated?: StatedToken
  /** What a verifier behind the gateway has said of it. */
  readonly refusal?: VerifierRefusal | undefined
}

/** Explains a gateway's answer by its likely cause, the most certain sign first; pure. */
export function explainAnswer(examined: ExaminedAnswer): Explanation {
  const { status } = examined.answer
  if (examined.refusal) return explainVerifierRefusal(examined.refusal, toRefusalFacts(examined))
  if (status === 401 || status === 403 || isTokenRefused(examined.answer))
    return findTimeCause(examined) ?? findKeyCause(examined) ?? explainRefusal(examined)
  if (status === 400) {
    const { answer, headerNames = [] } = examined
    return findKeyCause(examined) ?? explainBadRequest(answer, headerNames) ?? explainStatus(answer)
  }
  return explainStatus(examined.answer)
}

/** Some gateways refuse a token with another status than 401; the code is that of RFC 6750, section 3.1, or the API's own. */
function isTokenRefused({ status, text }: GatewayAnswer): boolean {
  if (status < 400 || status >= 500) return false
  return ['invalid_token', 'authentication_error'].includes(parseRefusal(text).code ?? '')
}

/** Smaller differences do no harm: signatures and JWTs usually tolerate some minutes. */
const skewSec = 120

/** A cause for a 401 as well as a 403: services differ in which of the two they give for an expired token. */
function findTimeCause({ answer, facts, now }: ExaminedAnswer): Explanation | undefined {
  const aheadSec = computeAheadSec(answer, now)
  if (Math.abs(aheadSec) > skewSec) {
    const cause = `this machine's clock is ${Math.abs(aheadSec)} s ${aheadSec > 0 ? 'ahead of' : 'behind'} the gateway's`
    return { outcome: 'bad', cause, hint: 'set the clock, and have it synchronized' }
  }
  if (facts.end && facts.end.at <= now)
    return { outcome: 'bad', cause: 'the token has expired', hint: 'check whether the helper caches expired tokens' }
  return undefined
}

/** By how much this machine's clock is ahead of the gateway's; not a number where the gateway does not say its own. */
function computeAheadSec({ headers }: GatewayAnswer, now: number): number {
  return Math.round((now - Date.parse(headers.get('date') ?? '')) / 1000)
}

function toRefusalFacts(examined: ExaminedAnswer) {
  const { answer, facts, authScheme, headerNames = [], now, stated = unstated } = examined
  const aheadSec = computeAheadSec(answer, now)
  return {
    ...{ stated, authScheme, headerNames },
    aheadSec: Number.isNaN(aheadSec) ? undefined : aheadSec,
    leftSec: facts.end && Math.round((facts.end.at - now) / 1000),
  }
}

/** Of a token that nobody has read. */
const unstated: StatedToken = { kind: 'opaque', title: 'an opaque token' }

/** A key that this gateway takes in no case. */
function findKeyCause({ facts, gateway, headerNames = [] }: ExaminedAnswer): Explanation | undefined {
  const mismatch = facts.awsKey && gateway && findKeyMismatch(facts.awsKey, gateway, headerNames)
  return mismatch && { outcome: 'bad', ...mismatch }
}

function explainRefusal(examined: ExaminedAnswer): Explanation {
  const { answer, facts, authScheme, gateway, stated = unstated, headerNames = [] } = examined
  const known = explainAwsError(answer) ?? explainChallenge(answer, stated)
  if (known) return known
  if (answer.status === 403) return explainForbidden(answer, facts, gateway)
  const asked = answer.headers.get('www-authenticate')?.split(/[\s,]/)[0]?.toLowerCase() ?? ''
  const other = authScheme === 'bearer' ? 'x-api-key' : 'bearer'
  const isWrongScheme = asked === 'bearer' ? authScheme !== 'bearer' : asked !== '' || mentions(answer, other)
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
    hint: `ask the gateway's operators whom they trust${describeOwn(stated)}; if they take keys, set authScheme to "${other}"`,
  }
}

function mentions({ text }: GatewayAnswer, scheme: AuthScheme): boolean {
  return new RegExp(scheme === 'bearer' ? '\\bbearer\\b' : 'x-api-key', 'i').test(text)
}

function explainForbidden({ headers }: GatewayAnswer, { awsKey }: TokenFacts, gateway?: KeyGateway): Explanation {
  if (headers.get('content-type')?.startsWith('text/html'))
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

function explainStatus({ status, headers, isMessage }: GatewayAnswer): Explanation {
  const isPage = headers.get('content-type')?.startsWith('text/html')
  if (status === 200 && isMessage) return { outcome: 'good', cause: 'the gateway answered the turn' }
  if (isPage || (status >= 300 && status < 400))
    return {
      outcome: 'bad',
      cause: 'a page or a redirect came back, as from a sign-in, instead of a message',
      hint: 'set baseUrl to the address of the API itself',
    }
  if (status >= 200 && status < 300)
    return {
      outcome: 'bad',
      cause: 'the answer holds no message',
      hint: 'check that baseUrl followed by /v1/messages is the address of the API',
    }
  if (status === 400 || status === 422)
    return {
      outcome: 'note',
      cause: 'the credential was accepted; the gateway refuses the request itself, such as its model',
    }
  if (status === 404 || status === 405)
    return {
      outcome: 'bad',
      cause: 'there is no Messages API at this address, or no model "default"',
      hint: 'check that baseUrl followed by /v1/messages is the address of the API',
    }
  if (status === 407)
    return { outcome: 'bad', cause: 'a proxy asks for its own sign-in', hint: 'exempt the gateway from it' }
  if (status === 429) return { outcome: 'note', cause: 'the credential was accepted; there were too many requests' }
  const cause = status >= 500 ? 'the gateway failed' : 'the gateway refuses the request'
  const known = findRequestId(headers) === undefined ? 'the status and the time of the request' : 'the request id'
  return { outcome: 'bad', cause, hint: `give its operators ${known}` }
}

/** The identifier by which the gateway's operators find a request. */
export function findRequestId(headers: Headers): string | undefined {
  return headers.get('request-id') ?? headers.get('x-request-id') ?? undefined
}
