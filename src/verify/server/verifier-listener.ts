import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { refusalReasons } from '../../contract/refusal-reasons.ts'
import { createRequestId } from '../../runtime/network/request-body.ts'
import type { Policy } from '../policy/policy.ts'
import type { RequestLimits } from '../request-limits.ts'
import type { TokenScheme } from '../sender/sender-facts.ts'
import { type Acceptance, TokenRefusal, toRefusedVerdict, type Verdict } from '../verdict.ts'
import type { Observation, Verifier } from '../verifier/verifier.ts'
import {
  findRequestFacts,
  findRequestStatement,
  findSender,
  type GatewayQuestion,
  type RequestSource,
} from './find-request-facts.ts'
import { findUnchecked, isHeader, toChecked } from './find-token.ts'
import { type Answer, toAcceptedAnswer, toRefusedAnswer } from './gateway-answer.ts'

/** A verdict that was answered, for the log. */
export interface AnsweredRequest {
  readonly verdict: Verdict
  /** Set for a refusal; the caller gets it too. */
  readonly requestId?: string
  /** The gateway's own id of the request: {@link gatewayRequestHeader}. */
  readonly gatewayRequestId?: string | undefined
  /** The question of the gateway, and the place in it that describes the request; absent for introspection. */
  readonly question?: GatewayQuestion
  readonly source?: RequestSource
}

/** The parts that find a verdict on each question, and those that hear of it. */
export interface ListenerParts {
  readonly verifier: Verifier
  /** The headers that may hold the token, in lower case. */
  readonly tokenHeaders: readonly string[]
  /** Receives the requests that never reached the verifier, because they did not have exactly one token. */
  readonly observe: (observation: Observation) => void
  /** Receives each question when it arrives. */
  readonly onQuestion?: ((question: GatewayQuestion) => void) | undefined
  /** Bounds how often a client address sends requests without a good token; nothing does if absent. */
  readonly addressLimits?: AddressLimits | undefined
}

/** The functions that answer a gateway, over HTTP as over gRPC. */
export interface GatewayAnswers {
  readonly findVerdict: FindVerdict
  readonly onAnswer: (answered: AnsweredRequest) => void
  /** The policy in force, where gateways have configurations that were made from it. */
  readonly policy?: (() => Policy) | undefined
}

/** Chooses by whose policy a question is answered. It never throws. */
export type ChooseAnswers = (question: GatewayQuestion, source: RequestSource) => GatewayAnswers

/**
 * Answers every request alike, whatever its method, path and body: gateways send those of the original request, which the caller
 * chooses. So this listener must not serve anything else.
 */
export function createVerifierListener(choose: ChooseAnswers, requestSource: RequestSource): RequestListener {
  const answers = new WeakMap<Acceptance, Answer>() // one for each verdict that was found in the memory
  const renderOnce: RenderAccepted = (verdict) => {
    const earlier = answers.get(verdict)
    if (earlier) return earlier
    const rendered = toAcceptedAnswer(verdict)
    answers.set(verdict, rendered)
    return rendered
  }
  const toAnswer = (
    { onAnswer, policy }: GatewayAnswers,
    question: IncomingMessage,
    verdict: Verdict,
    render: RenderAccepted,
  ): Answer => {
    const gatewayRequestId = findGatewayRequestId(question.rawHeaders)
    if (verdict.outcome === 'accepted') {
      const rendered = render(verdict)
      onAnswer({ verdict, gatewayRequestId, question, source: requestSource })
      return rendered
    }
    const requestId = createRequestId()
    onAnswer({ verdict, requestId, gatewayRequestId, question, source: requestSource })
    return toRefusedAnswer(verdict.refusal, requestId, policy?.().resource)
  }
  const answer = (parts: GatewayAnswers, response: ServerResponse, verdict: Verdict, render: RenderAccepted) => {
    try {
      send(response, toAnswer(parts, response.req, verdict, render))
    } catch (cause) {
      // A header cannot hold every character, for example. The request is refused, so that no caller passes without its headers.
      send(response, toAnswer(parts, response.req, toRefusedVerdict(cause), render))
    }
  }
  return (request: IncomingMessage, response) => {
    dropBody(request)
    const parts = choose(request, requestSource)
    const found = parts.findVerdict(request, requestSource)
    if (found instanceof Promise) found.then((verdict) => answer(parts, response, verdict, toAcceptedAnswer))
    else answer(parts, response, found, renderOnce)
  }
}

/** A token that comes for the first time may never come again, so that its answer is not remembered. */
type RenderAccepted = (verdict: Acceptance) => Answer

/** Finds verdicts by the one token among the headers of a request. */
export function createFindVerdict({
  verifier,
  tokenHeaders,
  observe,
  onQuestion,
  addressLimits,
}: ListenerParts): FindVerdict {
  const observeRefusal = (refusal: TokenRefusal): Verdict => {
    const verdict = { outcome: 'refused', refusal } as const
    observe({ verdict, source: 'request', kind: undefined, ms: 0 })
    return verdict
  }
  return (question, source) => {
    onQuestion?.(question)
    const found = findUnchecked(question.rawHeaders, tokenHeaders)
    const findRequest = () => findRequestFacts(question, source)
    const known = typeof found === 'string' ? verifier.find(found, findRequest) : undefined
    if (known?.outcome === 'accepted') return known // whatever others do at the same address
    const findClient = () => findRequestStatement(question, source).client
    const count = (verdict: Verdict) => {
      if (isStranger(verdict)) addressLimits?.takeAddress(findClient)
      return verdict
    }
    if (known) return count(known)
    const limited = addressLimits?.findAddressRefusal(findClient)
    if (limited) return observeRefusal(limited)
    const checked = toChecked(found, tokenHeaders)
    if (checked instanceof TokenRefusal) return count(observeRefusal(checked))
    const [token, scheme] = toTokenOf(checked)
    const verified = verifier.verify(token, findRequest, { scheme, read: () => findSender(question, source) })
    return addressLimits ? verified.then(count) : verified
  }
}

/** Finds the verdict on a question of a gateway: at once where it is remembered. Never rejects. */
type FindVerdict = (question: GatewayQuestion, source: RequestSource) => Verdict | Promise<Verdict>

function toTokenOf(found: Exclude<ReturnType<typeof findUnchecked>, TokenRefusal>): readonly [string, TokenScheme] {
  return typeof found === 'string' ? [found, 'Bearer'] : [found.dpop, 'DPoP']
}

type AddressLimits = Pick<RequestLimits, 'findAddressRefusal' | 'takeAddress'>

/** Whether the request has no good token, and not for want of an answer from somebody else. */
function isStranger(verdict: Verdict): boolean {
  return verdict.outcome === 'refused' && !verdict.identity && refusalReasons[verdict.refusal.reason].status === 401
}

/** How much of a body is read and thrown away, so that its connection can be used again. */
const maxBytes = 1024 * 1024

/** Throws the body away, and ends the connection if the body is too long. */
export function dropBody(request: IncomingMessage): void {
  if (!hasBody(request)) return
  let left = maxBytes
  request.on('data', ({ length: bytes }: Buffer) => {
    left -= bytes
    if (left < 0) request.socket.destroy()
  })
  request.on('error', () => {}) // the gateway is gone
}

/** RFC 9112, section 6.3. It reads the object of all headers, which Node has made before it asks for an answer. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** The gateway sets it. Without a recipe of ours the caller may choose it, so that only one plain word is logged. */
const gatewayRequestHeader = 'x-request-id'

/** The gateway's own id of a request, from its headers; `undefined` where there is not exactly one that fits. */
export function findGatewayRequestId(rawHeaders: readonly string[]): string | undefined {
  let found: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!isHeader(rawHeaders[at]!, gatewayRequestHeader)) continue
    if (found !== undefined) return undefined
    found = rawHeaders[at + 1]!
  }
  return found !== undefined && /^[\w.:=@/+-]{1,128}$/.test(found) ? found : undefined
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers)
  response.end(body)
}
