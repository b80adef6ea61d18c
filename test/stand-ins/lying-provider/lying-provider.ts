import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { findEndpoint } from './find-endpoint.ts'
import { createGrants } from './grants.ts'
import { honestAnswers } from './honest-answers.ts'
import { type Answer, type ClockLies, type Endpoint, fillIssuer, type Lies } from './lies.ts'
import { sendAnswer, sendJson } from './send-answer.ts'
import { createSigningKeys } from './signing-keys.ts'
import { startServer } from './start-server.ts'

/** A request to the provider. */
interface ProviderRequest {
  readonly endpoint: Endpoint
  readonly parameters: Readonly<Record<string, string>>
}

/** An OpenID provider on loopback for one public client, which lets everybody sign in and lies as it is told. */
export interface LyingProvider extends AsyncDisposable {
  readonly issuer: string
  readonly clientId: string
  readonly requests: readonly ProviderRequest[]
  /** From now on; what is not in it is honest again. */
  lie(lies: Lies): void
  /** Another server, to which redirects lead, and what has come there. */
  readonly elsewhere: { readonly url: string; readonly requests: readonly string[] }
}

export async function startLyingProvider(first: Lies = {}): Promise<LyingProvider> {
  const requests: ProviderRequest[] = []
  const strayed: string[] = []
  let told = new Map<Endpoint, number>()
  const other = await startServer(async (request, response) => {
    strayed.push(`${request.method} ${request.url} ${await text(request)}`)
    response.writeHead(200).end('{}')
  })
  const server = await startServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const issuer = server.url
  let lies = fillIssuer(first, issuer)
  const keys = createSigningKeys()
  const world = { issuer, keys, grants: createGrants(issuer, keys), pushed: new Map<string, URLSearchParams>() }
  const nextAnswer = (endpoint: Endpoint): Answer | 'honest' => {
    const lie = lies.answers?.[endpoint] ?? 'honest'
    const count = told.get(endpoint) ?? 0
    told.set(endpoint, count + 1)
    return isList(lie) ? (lie[Math.min(count, lie.length - 1)] ?? 'honest') : lie
  }
  const answer = async (message: IncomingMessage, response: ServerResponse) => {
    setDate(response, lies.clock)
    const url = new URL(message.url ?? '/', issuer)
    const parameters = message.method === 'POST' ? new URLSearchParams(await text(message)) : url.searchParams
    const endpoint = findEndpoint(`${message.method} ${url.pathname}`, parameters)
    if (!endpoint) return sendJson(response, { status: 501, body: `nobody answers ${message.method} ${url.pathname}` })
    requests.push({ endpoint, parameters: Object.fromEntries(parameters) })
    const instead = nextAnswer(endpoint)
    if (instead !== 'honest') return sendAnswer(instead, response, other.url)
    const isRedeemed = requests.some((request) => request.endpoint === 'token')
    await honestAnswers[endpoint]({ ...world, lies, parameters, response, isRedeemed })
  }
  return {
    issuer,
    clientId: 'desktop',
    requests,
    lie: (next) => {
      lies = fillIssuer(next, issuer)
      told = new Map()
    },
    elsewhere: { url: other.url, requests: strayed },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([server.close(), other.close()])
    },
  }
}

function isList(lie: Answer | 'honest' | readonly (Answer | 'honest')[]): lie is readonly (Answer | 'honest')[] {
  return Array.isArray(lie)
}

function setDate(response: ServerResponse, clock: ClockLies = { aheadSec: 0, date: 'sent' }): void {
  response.sendDate = false
  if (clock.date === 'sent') response.setHeader('date', new Date(Date.now() + clock.aheadSec * 1000).toUTCString())
}
