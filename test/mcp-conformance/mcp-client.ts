import { authorize } from './authorize.ts'
import { type Challenge, parseChallenge } from './challenge.ts'

/** The program that the conformance tool starts with the address of a server as its last argument. */
const server = process.argv.at(-1) ?? ''

/** How often a refused request asks for more rights. */
const maxAuthorizations = 2

let accessToken: string | undefined
let authorizations = 0

/** Sends one request of the Model Context Protocol over HTTP; a refusal leads to a sign-in, and to the same request again. */
async function call(method: string, params?: object, id?: number): Promise<void> {
  const response = await fetch(server, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }), ...(id !== undefined && { id }) }),
  })
  await response.text()
  if (response.ok) return
  const challenge = findChallenge(response)
  if (!challenge || authorizations === maxAuthorizations)
    throw new Error(`${method} was refused with HTTP ${response.status}`)
  authorizations += 1
  accessToken = await authorize(server, challenge)
  await call(method, params, id)
}

function findChallenge({ status, headers }: Response): Challenge | undefined {
  return status === 401 || status === 403 ? parseChallenge(headers.get('www-authenticate') ?? '') : undefined
}

await call(
  'initialize',
  { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  1,
)
await call('notifications/initialized')
await call('tools/list', {}, 2)
await call('tools/call', { name: 'test-tool', arguments: {} }, 3)
