import type { AuthScheme } from '../../config/document.ts'
import type { TokenFacts } from '../token/token-facts.ts'
import type { GatewayAnswer } from '../turn/turn.ts'
import type { Outcome } from './examination.ts'

/** Everything by which an answer is explained. */
export interface Exchange {
  readonly answer: GatewayAnswer
  readonly facts: TokenFacts
  readonly authScheme: AuthScheme
  /** When the answer came, in epoch milliseconds. */
  readonly now: number
}

export interface Explanation {
  readonly outcome: Outcome
  readonly cause: string
  readonly hint?: string
}

/** The likely cause of what a gateway answered, the surest sign first; pure. */
export function explainAnswer(exchange: Exchange): Explanation {
  const { status } = exchange.answer
  if (status === 401 || status === 403) return findTimeCause(exchange) ?? explainRefusal(exchange)
  return explainStatus(exchange.answer)
}

/** A clock that is off by less is nobody's trouble: signatures and JWTs are usually good for some minutes around. */
const skewSec = 120

/** What is true of an answer of 401 as of one of 403: services differ in which of the two they give for a dead token. */
function findTimeCause({ answer, facts, now }: Exchange): Explanation | undefined {
  const gatewayNow = Date.parse(answer.headers.get('date') ?? '')
  const aheadSec = Math.round((now - gatewayNow) / 1000)
  if (Math.abs(aheadSec) > skewSec) {
    const cause = `this machine's clock is ${Math.abs(aheadSec)} s ${aheadSec > 0 ? 'ahead of' : 'behind'} the gateway's`
    return { outcome: 'bad', cause, hint: 'set the clock, and have it set itself' }
  }
  if (facts.end && facts.end.at <= now)
    return { outcome: 'bad', cause: 'the token has expired', hint: 'look for a cache that prints dead tokens again' }
  return undefined
}

function explainRefusal({ answer, facts, authScheme }: Exchange): Explanation {
  if (answer.status === 403) return explainForbidden(answer, facts)
  const asked = answer.headers.get('www-authenticate')?.split(/[\s,]/)[0]?.toLowerCase() ?? ''
  const other = authScheme === 'bearer' ? 'x-api-key' : 'bearer'
  const isWrongScheme = asked === 'bearer' ? authScheme !== 'bearer' : asked !== '' || mentions(answer, other)
  if (isWrongScheme)
    return {
      outcome: 'bad',
      cause: `the gateway asks for a credential in another form; this one was sent as ${authScheme}`,
      hint: `set authScheme to "${other}" and try again`,
    }
  return {
    outcome: 'bad',
    cause: 'the gateway does not know this token: it is meant for another gateway, issuer or account, or was revoked',
    hint: `ask the gateway's operators whom they trust; if they take keys, set authScheme to "${other}"`,
  }
}

function mentions({ text }: GatewayAnswer, scheme: AuthScheme): boolean {
  return new RegExp(scheme === 'bearer' ? '\\bbearer\\b' : 'x-api-key', 'i').test(text)
}

function explainForbidden({ headers }: GatewayAnswer, { bedrock }: TokenFacts): Explanation {
  if (headers.get('content-type')?.startsWith('text/html'))
    return {
      outcome: 'bad',
      cause: 'something in between answers with a page, and not the gateway',
      hint: 'look for a proxy or a firewall on the way',
    }
  if (bedrock)
    return {
      outcome: 'bad',
      cause: 'the AWS identity behind the token may not do this',
      hint: 'allow it bedrock:CallWithBearerToken, and bedrock:InvokeModel for the model',
    }
  return {
    outcome: 'bad',
    cause: 'the gateway knows the token, but it may not do this: a role, a model or a workspace is missing',
    hint: "ask the gateway's operators what this identity may do",
  }
}

function explainStatus({ status, headers }: GatewayAnswer): Explanation {
  const isPage = headers.get('content-type')?.startsWith('text/html')
  if (status === 200 && !isPage) return { outcome: 'good', cause: 'the gateway answered the turn' }
  if (isPage || (status >= 300 && status < 400))
    return {
      outcome: 'bad',
      cause: 'a page or a redirect came back, as from a sign-in, and no message',
      hint: 'set baseUrl to the address of the API itself',
    }
  if (status === 400 || status === 422)
    return {
      outcome: 'note',
      cause: 'the credential got through; this gateway refuses the request itself, such as its model',
    }
  if (status === 404 || status === 405)
    return {
      outcome: 'bad',
      cause: 'there is no Messages API at this address, or no model "default"',
      hint: 'see whether baseUrl, with /v1/messages behind it, is the address of the API',
    }
  if (status === 407)
    return { outcome: 'bad', cause: 'a proxy asks for its own sign-in', hint: 'exempt the gateway from it' }
  if (status === 429) return { outcome: 'note', cause: 'the credential got through; there were too many requests' }
  return { outcome: 'bad', cause: 'the gateway has trouble of its own', hint: 'give its operators the request id' }
}
