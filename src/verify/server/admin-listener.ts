import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createErrorBody, type ErrorStatus, errorTypes } from '../../contract/http-api.ts'
import { refusalReasons } from '../../contract/refusal-reasons.ts'
import { isLoopback, isLoopbackHost } from '../../runtime/network/addresses.ts'
import type { Metrics } from './metrics.ts'

/** An answer of the operator's listener, such as the state of health. */
export interface PlainAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Answers health, readiness, metrics, and the paths of `posts`. It is separate from the gateways' listener, to which gateways send the path
 * of the original request. Requests of web pages are refused, because a page can reach loopback too.
 */
export function createAdminListener(parts: AdminParts): RequestListener {
  return (request, response) => {
    answer(parts, request)
      .catch(() => rejectRequest(500, refusalReasons.defect.summary))
      .then((plain) => send(response, plain))
  }
}

/** Answers a `POST`, such as that of introspection (RFC 7662, section 2). */
export type AnswerPost = (request: IncomingMessage) => Promise<PlainAnswer>

/** The parts that {@link createAdminListener} needs. */
interface AdminParts {
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>
  readonly readiness: () => Readiness
  /** The current handlers of `POST` by path. */
  readonly posts?: () => ReadonlyMap<string, AnswerPost>
}

async function answer(
  { metrics, readiness, posts = () => new Map() }: AdminParts,
  request: IncomingMessage,
): Promise<PlainAnswer> {
  if (isFromPage(request)) return rejectRequest(403, 'requests of web pages are not answered')
  const [path = ''] = request.url?.split('?') ?? []
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  switch (path) {
    case '/healthz':
      return isRead ? answerText(200, 'alive\n') : rejectMethod('GET, HEAD')
    case '/readyz': {
      const { isReady, text } = describeReadiness(readiness())
      return isRead ? answerText(isReady ? 200 : 503, text) : rejectMethod('GET, HEAD')
    }
    case '/metrics':
      if (!isRead) return rejectMethod('GET, HEAD')
      return { status: 200, headers: { 'content-type': metrics.contentType }, body: await metrics.render() }
    default: {
      const handlers = posts()
      const post = handlers.get(path)
      if (!post) return rejectPath(['/healthz', '/readyz', '/metrics', ...handlers.keys()])
      return request.method === 'POST' ? post(request) : rejectMethod('POST')
    }
  }
}

/**
 * Returns whether a web page sent this request. A page of another origin sends `Origin`; a page whose name was changed to resolve to
 * loopback (DNS rebinding) sends that name as `Host`.
 */
function isFromPage({ headers, socket }: IncomingMessage): boolean {
  if (headers.origin !== undefined) return true
  return isLoopback(socket.localAddress ?? '') && !isLoopbackHost(headers.host)
}

/** Creates a refusal in the error envelope of the API. */
export function rejectRequest(
  status: ErrorStatus,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): PlainAnswer {
  const body = JSON.stringify(createErrorBody(errorTypes[status], message, 'req_admin'))
  return { status, headers: { 'content-type': 'application/json', ...headers }, body }
}

function answerText(status: number, body: string): PlainAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}

function rejectMethod(allow: string): PlainAnswer {
  return rejectRequest(405, `the method has to be ${allow}`, { allow })
}

function send(response: ServerResponse, { status, headers, body }: PlainAnswer): void {
  const length = String(Buffer.byteLength(body))
  response.writeHead(status, { ...headers, 'cache-control': 'no-store', 'content-length': length })
  response.end(body)
}

/** Whether a server is ready, and why not. */
export interface Readiness {
  readonly isDraining: boolean
  /** The missing parts of the server, each in words. */
  readonly missing: readonly string[]
  /** Lines about parts of the server, whether it is ready or not. */
  readonly remarks?: readonly string[]
}

/** The beginning of a ready server's answer, by which `gatepass gateway health` recognizes it. */
export const readyText = 'ready\n'

/** Returns whether the server is ready, and in words why not; pure. */
function describeReadiness({ isDraining, missing, remarks = [] }: Readiness): { isReady: boolean; text: string } {
  const render = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
  if (isDraining) return { isReady: false, text: 'the server is ending\n' }
  if (missing.length === 0) return { isReady: true, text: `${readyText}${render(remarks)}` }
  return { isReady: false, text: render([...missing, ...remarks]) }
}

function rejectPath(paths: readonly string[]): PlainAnswer {
  return rejectRequest(404, `the paths here are ${paths.slice(0, -1).join(', ')} and ${paths.at(-1)}`)
}
