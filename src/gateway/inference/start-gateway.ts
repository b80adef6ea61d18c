import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { createMessagesApi, type GatewayFailureMode, type GatewayRecord, type Verdict } from './messages-api.ts'
import type { Sleep } from './stream-answer.ts'

export interface GatewaySettings {
  /** `off` accepts every token, revoked ones included. */
  readonly verify: ((token: string) => Verdict) | 'off'
  /** Passes the time between pings; real time, unless given. */
  readonly sleep?: Sleep
}

export interface Gateway {
  readonly url: string
  readonly records: readonly GatewayRecord[]
  /** Refuses from now on every token that was accepted so far, as an administrator would after a leak. */
  revokeAll(): void
  /** What is set here holds from now on, for whoever asks. */
  readonly failureMode: GatewayFailureMode
  close(): Promise<void>
}

/** Starts an inference gateway on loopback that answers messages with an echo and refuses what it cannot verify. */
export async function startGateway({ verify, sleep = realSleep }: GatewaySettings): Promise<Gateway> {
  const records: GatewayRecord[] = []
  const failureMode: GatewayFailureMode = {}
  const accepted = new Set<string>()
  const revoked = new Set<string>()
  const judge = (token: string | undefined): Verdict => {
    if (token === undefined) return { ok: false, reason: 'no credential' }
    if (verify === 'off') return { ok: true }
    const verdict = revoked.has(token) ? ({ ok: false, reason: 'revoked' } as const) : verify(token)
    if (verdict.ok) accepted.add(token)
    return verdict
  }
  const server = createServer(
    getRequestListener(createMessagesApi({ judge, record: (entry) => records.push(entry), failureMode, sleep }).fetch),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    records,
    revokeAll: () => {
      for (const token of accepted) revoked.add(token)
    },
    failureMode,
    close: () => closeServer(server),
  }
}

const realSleep: Sleep = (ms, signal) => pause(ms, undefined, { signal }).catch(() => {}) // aborted: the reader has gone

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}
