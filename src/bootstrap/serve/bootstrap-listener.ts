// Folder: the configuration server at work: the followed release, the answer to each person, the audit and the metrics.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { servedDocumentRules } from '../../contract/served-document.ts'
import { createRequestId } from '../../runtime/network/server-request.ts'
import { parseToken } from '../../verify/server/request-token.ts'
import { dropBody } from '../../verify/server/verifier-listener.ts'
import { TokenRefusal, type Verdict } from '../../verify/verdict.ts'
import type { Observation, Verifier } from '../../verify/verifier/verifier.ts'
import { type AnswerMemory, answerIdentity, type BootstrapAnswer, toRefusal } from './answer-identity.ts'
import type { Audit } from './audit.ts'
import type { Delivery, PreparedRelease } from './prepare-release.ts'

/**
 * Answers `GET` of one path with the document of the token's owner, and nothing else. Only the verifier determines the owner: no part of
 * the address and no other header matters.
 */
export function createBootstrapListener(parts: BootstrapListenerParts): RequestListener {
  const { verifier, path, tokenHeaders, delivery, now, audit } = parts
  const memory: AnswerMemory = new WeakMap()

  const answerVerdict = (verdict: Verdict, ifNoneMatch: string | undefined, requestId: string): BootstrapAnswer => {
    if (verdict.outcome === 'refused') return toRefusal(verdict.refusal, requestId)
    const release = parts.release()
    if (!release) return toRefusal(new TokenRefusal('no-release'), requestId)
    const expiry = { expiresSec: parts.expiresSec, now: now() }
    try {
      return answerIdentity(verdict.identity, ifNoneMatch, { release, memory, expiry, requestId, delivery })
    } catch (cause) {
      parts.onDefect(cause)
      return toRefusal(new TokenRefusal('defect', { cause }), requestId)
    }
  }

  return (request, response) => {
    const startedAt = performance.now()
    const requestId = createRequestId()
    const finish = (answer: BootstrapAnswer, verdict: Verdict | undefined) => {
      send(response, answer)
      audit.record({ time: now(), answer, verdict, requestId })
      parts.onAnswer(answer, performance.now() - startedAt)
    }
    const finishVerdict = (verdict: Verdict) =>
      finish(answerVerdict(verdict, request.headers['if-none-match'], requestId), verdict)
    dropBody(request)
    const rejected = rejectRoute(request, path)
    if (rejected) return send(response, rejected)
    const token = parseToken(request.rawHeaders, tokenHeaders)
    if (typeof token !== 'string') {
      const verdict = { outcome: 'refused', refusal: token } as const
      parts.observe({ verdict, source: 'request', kind: undefined, ms: 0 })
      return finishVerdict(verdict)
    }
    const known = verifier.find(token)
    if (known) return finishVerdict(known)
    verifier.verify(token).then(finishVerdict)
  }
}

interface BootstrapListenerParts {
  readonly verifier: Verifier
  readonly release: () => PreparedRelease | undefined
  /** The only path, compared character by character. */
  readonly path: string
  /** The headers that may hold the token, in lower case. */
  readonly tokenHeaders: readonly string[]
  readonly expiresSec: number
  readonly delivery: Delivery
  readonly now: () => number
  readonly audit: Pick<Audit, 'record'>
  /** Receives the requests that do not contain exactly one token, and so never reached the verifier. */
  readonly observe: (observation: Observation) => void
  readonly onAnswer: (answer: BootstrapAnswer, ms: number) => void
  /** Receives unexpected errors. */
  readonly onDefect: (cause: unknown) => void
}

/** Sends a complete answer, or closes the connection of a client that does not read it. */
function send(response: ServerResponse, { status, headers, chunks }: BootstrapAnswer): void {
  response.writeHead(status, headers)
  response.cork()
  for (const chunk of chunks) response.write(chunk)
  response.end()
  response.uncork()
  if (response.writableFinished || response.writableLength === 0) return
  const timer = setTimeout(() => response.destroy(), readingMs)
  timer.unref()
  response.once('close', () => clearTimeout(timer))
}

/** How long a client may take to read an answer: the whole time that it waits for one. */
const readingMs = servedDocumentRules.answerSec * 1000

/**
 * Makes the answer to a request for another path or method; `undefined` for the right ones. The path is not decoded, and its case matters,
 * so that it has only one spelling.
 */
function rejectRoute({ url = '', method }: IncomingMessage, path: string): BootstrapAnswer | undefined {
  if (url.split('?', 1)[0] !== path) return toPlainAnswer(404, [])
  return method === 'GET' ? undefined : toPlainAnswer(405, ['allow', 'GET'])
}

function toPlainAnswer(status: number, headers: readonly string[]): BootstrapAnswer {
  return { status, headers: [...headers, 'cache-control', 'no-store', 'content-length', '0'], chunks: [] }
}
