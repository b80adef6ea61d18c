import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { refusalReasons } from '../../contract/refusal-reasons.ts'
import { createRequestId } from '../../runtime/network/server-request.ts'
import type { Policy } from '../policy/policy.ts'
import type { RequestLimits } from '../request-limits.ts'
import { type Acceptance, TokenRefusal, toRefusedVerdict, type Verdict } from '../verdict.ts'
import type { Observation, Verifier } from '../verifier/verifier.ts'
import { type Answer, toAcceptedAnswer, toRefusedAnswer } from './gateway-answer.ts'
import { parseUnchecked, toChecked } from './request-token.ts'
import {
  findOnlyHeader,
  type GatewayQuestion,
  type RequestSource,
  toRequestFacts,
  toRequestStatement,
  toSenderFacts,
} from './to-request-facts.ts'

/** A verdict that was answered, for the log. */
export interface AnsweredRequest {
  readonly verdict: Verdict
  /** Set for a refusal; the caller gets the id too. */
  readonly requestId?: string
  /** The gateway's own id of the request: {@link gatewayRequestHeader}. */
  readonly gatewayRequestId?: string | undefined
  /** The gateway's request, and the headers in it that describe the original request; absent for introspection. */
  readonly question?: GatewayQuestion
  readonly source?: RequestSource
}

/** The parts that find a verdict for each request, and the parts that observe it. */
export interface ListenerParts {
  readonly verifier: Verifier
  /** The headers that may contain the token, in lower case. */
  readonly tokenHeaders: readonly string[]
  /** Receives the requests that do not contain exactly one token, and so never reached the verifier. */
  readonly observe: (observation: Observation) => void
  /** Receives each request when it arrives. */
  readonly onQuestion?: ((question: GatewayQuestion) => void) | undefined
  /** Limits the requests without a good token for each client address; absent without a limit. */
  readonly addressLimits?: AddressLimits | undefined
}

/** The functions that answer a gateway, over HTTP and gRPC. */
export interface GatewayAnswers {
  readonly decideRequest: DecideRequest
  readonly onAnswer: (answered: AnsweredRequest) => void
  /** The policy in force; absent if gateways have no configuration made from it. */
  readonly policy?: (() => Policy) | undefined
}

/** Selects the tenant's answers for a request. It never throws. */
export type ChooseAnswers = (question: GatewayQuestion, source: RequestSource) => GatewayAnswers

/**
 * Gives every request the same treatment, whatever its method, path and body: gateways send those of the original request, which the caller
 * chooses. So this listener must not serve anything else.
 */
export function createVerifierListener(choose: ChooseAnswers, requestSource: RequestSource): RequestListener {
  const answers = new WeakMap<Acceptance, Answer>() // an answer for each cached verdict
  const ensureAnswer: ToAcceptedAnswer = (verdict) => {
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
    toAccepted: ToAcceptedAnswer,
  ): Answer => {
    const gatewayRequestId = findGatewayRequestId(question.rawHeaders)
    if (verdict.outcome === 'accepted') {
      const rendered = toAccepted(verdict)
      onAnswer({ verdict, gatewayRequestId, question, source: requestSource })
      return rendered
    }
    const requestId = createRequestId()
    onAnswer({ verdict, requestId, gatewayRequestId, question, source: requestSource })
    return toRefusedAnswer(verdict.refusal, requestId, policy?.().resource)
  }
  const answer = (parts: GatewayAnswers, response: ServerResponse, verdict: Verdict, toAccepted: ToAcceptedAnswer) => {
    try {
      send(response, toAnswer(parts, response.req, verdict, toAccepted))
    } catch (cause) {
      // The answer could not be rendered, for example because a header cannot hold a character. The request is refused, so that no caller
      // passes without its headers.
      send(response, toAnswer(parts, response.req, toRefusedVerdict(cause), toAccepted))
    }
  }
  return (request: IncomingMessage, response) => {
    dropBody(request)
    const parts = choose(request, requestSource)
    const found = parts.decideRequest(request, requestSource)
    if (found instanceof Promise) found.then((verdict) => answer(parts, response, verdict, toAcceptedAnswer))
    else answer(parts, response, found, ensureAnswer)
  }
}

/** Renders an answer without caching it: a new token may never come again. */
type ToAcceptedAnswer = (verdict: Acceptance) => Answer

/** Creates the search for verdicts by the only token among the headers of a request. */
export function createDecideRequest({
  verifier,
  tokenHeaders,
  observe,
  onQuestion,
  addressLimits,
}: ListenerParts): DecideRequest {
  const observeRefusal = (refusal: TokenRefusal): Verdict => {
    const verdict = { outcome: 'refused', refusal } as const
    observe({ verdict, source: 'request', kind: undefined, ms: 0 })
    return verdict
  }
  return (question, source) => {
    onQuestion?.(question)
    const found = parseUnchecked(question.rawHeaders, tokenHeaders)
    const collectFacts = () => toRequestFacts(question, source)
    const known = typeof found === 'string' ? verifier.find(found, collectFacts) : undefined
    if (known?.outcome === 'accepted') return known // a known caller passes even if its address is blocked
    const findClient = () => toRequestStatement(question, source).client
    const count = (verdict: Verdict) => {
      if (isStranger(verdict)) addressLimits?.takeAddress(findClient)
      return verdict
    }
    if (known) return count(known)
    const limited = addressLimits?.findAddressRefusal(findClient)
    if (limited) return observeRefusal(limited)
    const checked = toChecked(found, tokenHeaders)
    if (checked instanceof TokenRefusal) return count(observeRefusal(checked))
    const [token, scheme] =
      typeof checked === 'string' ? ([checked, 'Bearer'] as const) : ([checked.dpop, 'DPoP'] as const)
    const verified = verifier.verify(token, collectFacts, { scheme, read: () => toSenderFacts(question, source) })
    return addressLimits ? verified.then(count) : verified
  }
}

/** Finds the verdict on a gateway's request, synchronously if it is cached. Never rejects. */
type DecideRequest = (question: GatewayQuestion, source: RequestSource) => Verdict | Promise<Verdict>

/** Returns whether the request has no good token. A verdict that only lacks the answer of another server does not count. */
function isStranger(verdict: Verdict): boolean {
  return verdict.outcome === 'refused' && !verdict.identity && refusalReasons[verdict.refusal.reason].status === 401
}

/** How many bytes of a body are read and dropped, so that its connection can be used again. */
const maxBytes = 1024 * 1024

type AddressLimits = Pick<RequestLimits, 'findAddressRefusal' | 'takeAddress'>

/** Drops the body, and closes the connection if the body is too long. */
export function dropBody(request: IncomingMessage): void {
  if (!hasBody(request)) return
  let left = maxBytes
  request.on('data', ({ length: bytes }: Buffer) => {
    left -= bytes
    if (left < 0) request.socket.destroy()
  })
  request.on('error', () => {}) // the gateway has closed the connection
}

/** Returns whether a request has a body (RFC 9112, section 6.3). It reads `headers`, which Node has created by then. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** The gateway sets this header. Without a recipe of ours the caller may choose it, so that only one plain word is logged. */
const gatewayRequestHeader = 'x-request-id'

/** Finds the gateway's own id of a request, from its headers; `undefined` unless there is exactly one valid id. */
export function findGatewayRequestId(rawHeaders: readonly string[]): string | undefined {
  const found = findOnlyHeader(rawHeaders, gatewayRequestHeader)
  return found !== undefined && /^[\w.:=@/+-]{1,128}$/.test(found) ? found : undefined
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers)
  response.end(body)
}
