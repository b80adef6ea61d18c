import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { groupHeaders } from '../../../client/relay/validate-request.ts'
import { HelperError, toHelperError } from '../../../runtime/failure.ts'
import { isSameCredential } from '../../../runtime/network/client-credentials.ts'
import { unsharedHeaders } from '../../../runtime/text/sign-in-page.ts'
import { openServers } from '../../../sources/oauth/listener/open-servers.ts'
import { keyHeader } from './page-data.ts'

/** The answers to the page's requests, by the last part of the path; bodies and answers are JSON values. */
export type PageAnswers = Readonly<Record<string, (body: unknown) => Promise<unknown>>>

/**
 * Serves a page on the loopback address, at a free port. Any program, and any page in a browser on this machine, can send requests to it,
 * so each request must have this address as its host, come from this origin, and contain a key. The page itself contains no secret.
 */
export async function servePage(served: ServedPage): Promise<PageServer> {
  const keys = { address: createKey(), session: createKey(), isOpened: false }
  const { port, close } = await openServers({ hosts: ['127.0.0.1'], path: '/' }, (request, response) => {
    void answerRequest(request, response, { ...served, keys, host: `127.0.0.1:${port}` })
  })
  return { address: `http://127.0.0.1:${port}/#${keys.address}`, close }
}

/** A page, and the answers to its requests. */
interface ServedPage {
  readonly html: string
  readonly answers: PageAnswers
  /** The answer to the first request, which has the key of the address; later requests have the session. */
  open(session: string): Promise<unknown>
  /** Called when the key of the address is used again, by an unknown sender. */
  onReused(): void
  /** Called when the page has displayed its end. */
  onFinished(): void
}

/** A page that is served to this machine alone. */
interface PageServer {
  /** The address with its key, which is valid only once. */
  readonly address: string
  close(): Promise<void>
}

function createKey(): string {
  return randomBytes(32).toString('base64url')
}

/** The keys of one server; `isOpened` once the key of the address was used. */
interface PageKeys {
  readonly address: string
  readonly session: string
  isOpened: boolean
}

type Serving = ServedPage & { readonly keys: PageKeys; readonly host: string }

async function answerRequest(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  try {
    const refusal = validateSender(request, serving.host)
    if (refusal !== undefined) return sendProblem(response, 403, refusal)
    const { method, url } = request
    if (method === 'GET' && url === '/') return send(response, 200, serving.html, 'text/html')
    if (method !== 'POST') return sendProblem(response, 404, 'there is no such page')
    sendJson(response, 200, await answerPost(request, serving))
    if (url === '/api/finish') response.once('close', serving.onFinished)
  } catch (thrown) {
    if (thrown instanceof PageRefusal) return sendProblem(response, thrown.status, thrown.message)
    const { message, hint } = toHelperError(thrown)
    const words = hint === '' ? message : `${message}: ${hint}`
    sendProblem(response, thrown instanceof HelperError ? 422 : 500, words)
  }
}

/** A request that is refused, with the status of the answer. */
class PageRefusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The headers that must not be repeated, because another reader could use the second one. */
const unrepeatedHeaders = ['host', 'origin', 'content-type', keyHeader] as const

/** Returns why a request is not for this page, or not from it; `undefined` for a valid sender. */
function validateSender(
  { method, rawHeaders }: Pick<IncomingMessage, 'method' | 'rawHeaders'>,
  host: string,
): string | undefined {
  const headers = groupHeaders(rawHeaders)
  if (unrepeatedHeaders.some((name) => (headers.get(name)?.length ?? 0) > 1)) return 'a header was sent more than once'
  // DNS rebinding: the page sends its own name.
  if (headers.get('host')?.[0] !== host) return 'the Host header is wrong'
  const origin = headers.get('origin')?.[0]
  if (origin === undefined ? method === 'POST' : origin !== `http://${host}`)
    return 'requests of other pages are refused'
  // Fetch Metadata Request Headers (W3C), where the browser sends them.
  const site = headers.get('sec-fetch-site')?.[0] ?? 'same-origin'
  if (method === 'POST' && site !== 'same-origin') return 'requests of other pages are refused'
  return undefined
}

function sendProblem(response: ServerResponse, status: number, problem: string): void {
  sendJson(response, status, { problem })
}

async function answerPost(request: IncomingMessage, serving: Serving): Promise<unknown> {
  const [, name] = /^\/api\/([a-z]+)$/.exec(request.url ?? '') ?? []
  if (name === undefined) throw new PageRefusal(404, 'there is no such page')
  const key = String(request.headers[keyHeader] ?? '')
  if (name === 'open') return openPage(key, serving)
  if (!isSameCredential(key, serving.keys.session)) throw new PageRefusal(401, 'the key is missing or wrong')
  const answer = Object.hasOwn(serving.answers, name) ? serving.answers[name] : undefined
  if (!answer) throw new PageRefusal(404, 'there is no such page')
  if (request.headers['content-type'] !== 'application/json') throw new PageRefusal(415, 'the body has to be JSON')
  return answer(parseBody(await readBody(request)))
}

/** A tab that is reloaded sends the session. Anybody who saw the address in a list of processes is too late. */
async function openPage(key: string, { keys, open, onReused }: Serving): Promise<unknown> {
  if (isSameCredential(key, keys.session) && keys.isOpened) return open(keys.session)
  if (!isSameCredential(key, keys.address)) throw new PageRefusal(401, 'the key is missing or wrong')
  if (keys.isOpened) {
    onReused()
    throw new PageRefusal(410, 'this address has been opened before, and works once')
  }
  keys.isOpened = true
  return open(keys.session)
}

/** The size of two documents to compare, with every character escaped. */
const longestBodyBytes = 64 * 1024 * 1024

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  // A request that is too long is not destroyed, because the answer uses the same connection.
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    length += piece.length
    if (length > longestBodyBytes) throw new PageRefusal(413, 'the request is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PageRefusal(400, 'the body is not JSON')
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  send(response, status, JSON.stringify(value), 'application/json')
}

function send(response: ServerResponse, status: number, text: string, type: string): void {
  response.writeHead(status, { ...answerHeaders, 'content-type': `${type}; charset=utf-8` }).end(text)
}

/** The answers are not cached or framed, and no other page learns the address; the page's own policy is in its text. */
const answerHeaders = {
  ...unsharedHeaders,
  'content-security-policy': "frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  connection: 'close',
} as const
