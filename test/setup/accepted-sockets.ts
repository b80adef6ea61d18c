import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Collects the connections that servers of this process accept from now on, as the server has them, until the test is over. */
export function collectAcceptedSockets(): readonly Socket[] {
  const accepted: Socket[] = []
  // https://nodejs.org/api/diagnostics_channel.html#event-netserversocket
  const collect = (message: unknown) => void accepted.push((message as { socket: Socket }).socket)
  subscribe('net.server.socket', collect)
  onTestFinished(() => void unsubscribe('net.server.socket', collect))
  return accepted
}
