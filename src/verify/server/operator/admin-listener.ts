import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createErrorBody, type ErrorStatus, errorTypes } from '../../../contract/error-envelope.ts'
import { isLoopback } from '../../../runtime/network/loopback.ts'
import type { Metrics } from './metrics.ts'
import { describeReadiness, type Readiness } from './readiness.ts'

/** What the operator's own listener answers. */
interface AdminParts {
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>
  readonly readiness: () => Readiness
  /** Answers RFC 7662, section 2. */
  readonly introspect: (request: IncomingMessage) => Promise<PlainAnswer>
}

/** An answer of this listener. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Health, readiness, metrics and introspection: a listener of its own, because the one that gateways ask is asked with the path of
 * the original request. Web pages, which can reach loopback too, are refused.
 */
export function createAdminListener(parts: AdminParts): RequestListener {
  return (request, response) => {
    answer(parts, request)
      .catch(() => refuseRequest(500, 'this is a defect of the verifier'))
      .then((plain) => send(response, plain))
  }
}

async function answer({ metrics, readiness, introspect }: AdminParts, request: IncomingMessage): Promise<PlainAnswer> {
  if (isFromPage(request)) return refuseRequest(403, 'web pages are not answered')
  const path = request.url?.split('?')[0]
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  switch (path) {
    case '/healthz':
      return isRead ? answerText(200, 'alive\n') : refuseMethod('GET, HEAD')
    case '/readyz': {
      const { isReady, text } = describeReadiness(readiness())
      return isRead ? answerText(isReady ? 200 : 503, text) : refuseMethod('GET, HEAD')
    }
    case '/metrics':
      if (!isRead) return refuseMethod('GET, HEAD')
      return { status: 200, headers: { 'content-type': metrics.contentType }, body: await metrics.render() }
    case '/introspect':
      return request.method === 'POST' ? introspect(request) : refuseMethod('POST')
    default:
      return refuseRequest(404, 'there is /healthz, /readyz, /metrics and /introspect')
  }
}

/**
 * Whether a web page sent this: one of another origin says so, and one whose name was made to resolve to loopback (DNS rebinding)
 * still has that name in `Host`.
 */
function isFromPage({ headers, socket }: IncomingMessage): boolean {
  if (headers.origin !== undefined) return true
  const [, host = ''] = /^(.*?)(?::\d+)?$/.exec(headers.host ?? '') ?? []
  return isLoopback(socket.localAddress ?? '') && !isLoopback(host)
}

/** A request that is none of this listener's, in the error envelope of the API. */
export function refuseRequest(
  status: ErrorStatus,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): PlainAnswer {
  const body = JSON.stringify(createErrorBody(errorTypes[status], message, 'req_admin'))
  return { status, headers: { 'content-type': 'application/json', ...headers }, body }
}

function refuseMethod(allow: string): PlainAnswer {
  return refuseRequest(405, `the method has to be ${allow}`, { allow })
}

function answerText(status: number, body: string): PlainAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}

function send(response: ServerResponse, { status, headers, body }: PlainAnswer): void {
  const length = String(Buffer.byteLength(body))
  response.writeHead(status, { ...headers, 'cache-control': 'no-store', 'content-length': length })
  response.end(body)
}
