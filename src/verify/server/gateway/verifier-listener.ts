import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { TokenRefusal } from '../../token-refusal.ts'
import type { Acceptance, Verdict } from '../../verdict.ts'
import type { Observation, Verifier } from '../../verifier/verifier.ts'
import { type Answer, toAcceptedAnswer, toRefusedAnswer } from './answer.ts'
import { dropBody } from './drop-body.ts'
import { findToken } from './find-token.ts'

/** A verdict that was answered, for the log. */
export interface AnsweredRequest {
  readonly verdict: Verdict
  /** Of a refusal; the caller has it too. */
  readonly requestId?: string
}

interface ListenerParts {
  readonly verifier: Verifier
  /** Where the token is, in lower case. */
  readonly tokenHeaders: readonly string[]
  /** Receives what never reached the verifier, because there was not one token. */
  readonly observe: (observation: Observation) => void
  readonly onAnswer: (answered: AnsweredRequest) => void
}

/**
 * Answers every request alike, whatever its method, path and body: gateways send those of the original request, which the caller
 * chooses. So nothing else may be had from this listener.
 */
export function createVerifierListener({ verifier, tokenHeaders, observe, onAnswer }: ListenerParts): RequestListener {
  const answers = new WeakMap<Acceptance, Answer>() // one for each verdict in the cache
  const toAnswer = (verdict: Verdict): Answer => {
    if (verdict.outcome === 'accepted') {
      const rendered = answers.get(verdict) ?? toAcceptedAnswer(verdict)
      answers.set(verdict, rendered)
      onAnswer({ verdict })
      return rendered
    }
    const requestId = `req_${randomUUID()}`
    onAnswer({ verdict, requestId })
    return toRefusedAnswer(verdict.refusal, requestId)
  }
  const answer = (response: ServerResponse, verdict: Verdict) => {
    try {
      send(response, toAnswer(verdict))
    } catch (cause) {
      // Such as a character that no header can hold: refused, so that no caller passes without its headers.
      send(response, toAnswer(toDefect(cause)))
    }
  }
  return (request: IncomingMessage, response) => {
    dropBody(request)
    const token = findToken(request.rawHeaders, tokenHeaders)
    if (typeof token !== 'string') {
      const verdict = { outcome: 'refused', refusal: token } as const
      observe({ verdict, source: 'request', kind: undefined, ms: 0 })
      return answer(response, verdict)
    }
    const known = verifier.find(token)
    if (known) return answer(response, known)
    verifier.verify(token).then((verdict) => answer(response, verdict))
  }
}

function toDefect(cause: unknown): Verdict {
  const note = cause instanceof Error ? cause.name : typeof cause
  return { outcome: 'refused', refusal: new TokenRefusal('defect', { note, cause }) }
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers)
  response.end(body)
}
