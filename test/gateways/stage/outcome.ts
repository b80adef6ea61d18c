import type { ModelRequest } from '../../stand-ins/model/model.ts'
import type { ClientAnswer } from './send.ts'

/** The request as it reached the model. */
interface Arrival {
  readonly line: string
  /**
   * The headers that name a caller, however they are written, and have a value: lower case, in the order of their names.
   */
  readonly identity: readonly string[]
  /** Headers that hold a credential of the caller's. */
  readonly credentials: readonly string[]
  readonly bytes: number
}

/** The whole outcome of a request: what the client gets, and what reaches the model. */
export interface GatewayOutcome {
  readonly status: number
  /** The type and reason of an error in the platform's envelope. */
  readonly error?: { readonly type: string; readonly reason: string }
  /** The scheme of `www-authenticate`, and its error. */
  readonly challenge?: string
  readonly arrived: readonly Arrival[]
  /** What `gatepass doctor` says of a refusal, in scenarios. */
  readonly told?: Told
}

/** The last line and the hint of its part about the gateway. */
export interface Told {
  readonly cause: string
  readonly hint: string
}

/** The headers that the policy of the stage sets. */
export const identityHeaders = ['x-user', 'x-account'] as const

/** Summarizes an answer, and what came to the model meanwhile. */
export function toOutcome(answer: ClientAnswer, requests: readonly ModelRequest[]): GatewayOutcome {
  const { status, headers } = answer
  const challenge = headers['www-authenticate']
  const found = challenge && (/\berror="([^"]+)"/.exec(challenge)?.[1] ?? '')
  return {
    status,
    ...(status >= 400 && { error: parseError(answer) }),
    ...(challenge !== undefined && { challenge: [challenge.split(' ')[0], found].filter(Boolean).join(' ') }),
    arrived: requests.map(toArrival),
  }
}

/** A body that is not such an envelope is shown as it is. */
function parseError({ body, headers }: ClientAnswer): { type: string; reason: string } {
  try {
    const { type, error, request_id: id } = JSON.parse(body)
    const isWhole = type === 'error' && typeof id === 'string' && typeof error.message === 'string'
    if (isWhole && headers['content-type'] === 'application/json') return { type: error.type, reason: error.reason }
  } catch {}
  return { type: 'no envelope', reason: body.slice(0, 500) }
}

function toArrival({ method, path, headers, body }: ModelRequest): Arrival {
  const normal = headers.map(([name, value]) => [name, name.replaceAll('_', '-'), value] as const)
  const identity = normal.filter(([, name, value]) => identityHeaders.some((known) => known === name) && value !== '')
  return {
    line: `${method} ${path}`,
    identity: identity.map(([name, , value]) => `${name}: ${value}`).toSorted(),
    credentials: normal.filter(([, name]) => credentialNames.has(name)).map(([name]) => name),
    bytes: body.length,
  }
}

const credentialNames = new Set(['authorization', 'proxy-authorization', 'x-api-key', 'cookie'])
