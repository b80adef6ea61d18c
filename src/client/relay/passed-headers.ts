import type { ApiCredential } from '../../api/connection.ts'
import { groupHeaders, isKeyHeader } from './validate-request.ts'

/** Headers that belong to one connection (RFC 9110, section 7.6.1), or to one of the two hosts. */
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers of a request that are for this address alone, beside its key: its name, its cookies, and what it has answered itself. */
const ofRelay = new Set(['host', 'expect', 'cookie'])

/** Headers that decide where a body ends: those of the client's own request count. */
const framing = ['content-length', 'transfer-encoding', 'host']

/**
 * The headers that the gateway gets: the client's, replaced by those of the document and the helper, replaced by the credential.
 * A body is framed as the client framed it.
 */
export function toGatewayHeaders(
  raw: readonly string[],
  { token, scheme, headers }: ApiCredential,
): Record<string, string | string[]> {
  const grouped = groupHeaders(raw)
  const coding = grouped.get('transfer-encoding')
  const kept = [...grouped].filter(([name]) => !isDropped(name, grouped) && !ofRelay.has(name) && !isKeyHeader(name))
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const sent = new Map<string, string | string[]>(kept)
  for (const [name, value] of own) if (!ofConnection.has(name) && !framing.includes(name)) sent.set(name, value)
  if (coding) sent.set('transfer-encoding', coding)
  if (scheme === 'bearer') sent.set('authorization', `Bearer ${token.reveal()}`)
  else sent.set('x-api-key', token.reveal())
  return Object.fromEntries(sent)
}

/** The headers that the client gets, in their order and spelling. */
export function toClientHeaders(raw: readonly string[]): string[] {
  const grouped = groupHeaders(raw)
  return raw.filter((_, at) => !isDropped(raw[at - (at % 2)]!.toLowerCase(), grouped))
}

/** Whether a header ends at this connection: by its name, or because `Connection` names it. */
function isDropped(name: string, grouped: ReadonlyMap<string, readonly string[]>): boolean {
  if (ofConnection.has(name)) return true
  const named = grouped.get('connection') ?? []
  // A length that `Connection` names is passed all the same, because without it the body would end elsewhere.
  return (
    name !== 'content-length' &&
    named.some((list) =>
      list
        .toLowerCase()
        .split(',')
        .some((each) => each.trim() === name),
    )
  )
}
