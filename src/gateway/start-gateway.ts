import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { startListening } from './http/http-server.ts'
import {
  type CredentialVerdict,
  createMessagesApi,
  type GatewayFailureMode,
  type GatewayRecord,
  type Sleep,
} from './messages-api.ts'

/** A gateway that listens on this machine, and keeps a record of each request. */
export interface Gateway {
  readonly url: string
  readonly records: readonly GatewayRecord[]
  /** Refuses every token that was accepted so far, as an operator does after a leak. */
  revokeAll(): void
  /** A change applies to every later request. */
  readonly failureMode: GatewayFailureMode
  close(): Promise<void>
}

/** Starts an inference gateway on loopback, which repeats messages and refuses tokens that `verify` does not accept. */
export async function startGateway({ verify, sleep = realSleep }: GatewaySettings): Promise<Gateway> {
  const records: GatewayRecord[] = []
  const failureMode: GatewayFailureMode = {}
  const accepted = new Set<string>()
  const revoked = new Set<string>()
  const verifyToken = (token: string | undefined): CredentialVerdict => {
    if (token === undefined) return { ok: false, reason: 'no credential' }
    if (verify === 'off') return { ok: true }
    const verdict = revoked.has(token) ? ({ ok: false, reason: 'revoked' } as const) : verify(token)
    if (verdict.ok) accepted.add(token)
    return verdict
  }
  const server = createServer(
    getRequestListener(
      createMessagesApi({ verify: verifyToken, record: (entry) => records.push(entry), failureMode, sleep }).fetch,
    ),
  )
  return {
    ...(await startListening(server, 0)),
    records,
    revokeAll: () => {
      for (const token of accepted) revoked.add(token)
    },
    failureMode,
  }
}

/** The settings of an inference gateway. */
interface GatewaySettings {
  /** `off` accepts every token, revoked ones included. */
  readonly verify: ((token: string) => CredentialVerdict) | 'off'
  /** Waits between pings; in real time if absent. */
  readonly sleep?: Sleep
}

const realSleep: Sleep = (ms, signal) => pause(ms, undefined, { signal }).catch(() => {}) // it rejects if the client has disconnected
