import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A gateway as a process of its own. */
export interface GatewayProcess {
  readonly url: string
  /** Has it read its configuration again, by that signal. */
  reload(signal: NodeJS.Signals): void
  close(): Promise<void>
}

interface GatewayCommand {
  readonly command: string
  readonly argv: readonly string[]
  readonly port: number
  /** What it has written, for the message where it does not start. */
  readonly readErrors: () => Promise<string>
}

/** Starts it, and waits until it takes connections on its port. */
export async function startGatewayProcess(started: GatewayCommand): Promise<GatewayProcess> {
  const { command, argv, port, readErrors } = started
  const child = spawn(command, argv, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  await waitForPort(port, child, readErrors)
  return {
    url: `http://127.0.0.1:${port}`,
    reload: (signal) => void child.kill(signal),
    close: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A port that was free a moment ago: these programs say nowhere which one they were given. */
export async function findFreePort(): Promise<number> {
  const [port] = await findFreePorts(1)
  return port!
}

/** Ports that differ: HAProxy would listen twice on one, and share it out. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port) // TCP servers, which listen
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

async function waitForPort(port: number, child: ChildProcess, readErrors: () => Promise<string>): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; await sleep(25)) {
    if (child.exitCode !== null) throw new Error(`the gateway has ended: ${await readErrors()}`)
    if (await isOpen(port)) return
  }
  throw new Error(`the gateway does not listen: ${await readErrors()}`)
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const result = new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  return result.finally(() => socket.destroy())
}
