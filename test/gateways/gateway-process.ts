import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A gateway as a process of its own. */
export interface GatewayProcess {
  readonly url: string
  /** Makes it read its configuration again, by the signal that it expects. */
  reload(signal: NodeJS.Signals): void
  close(): Promise<void>
}

interface GatewayCommand {
  readonly command: string
  readonly argv: readonly string[]
  readonly port: number
  /** Reads what it has written, for the message if it does not start. */
  readonly readErrors: () => Promise<string>
}

/** Starts a gateway, and waits until it takes connections on its port. One that does not start in time is ended. */
export async function startGatewayProcess(started: GatewayCommand): Promise<GatewayProcess> {
  const { command, argv, port, readErrors } = started
  const child = spawn(command, argv, { stdio: 'ignore' })
  const ended = once(child, 'exit')
  // SIGTERM, because nginx and Apache end their workers then; after SIGKILL these would go on.
  const close = async () => {
    child.kill('SIGTERM')
    await ended
  }
  await waitForPort(port, child, readErrors).catch(async (error: unknown) => {
    await close()
    throw error
  })
  return { url: `http://127.0.0.1:${port}`, reload: (signal) => void child.kill(signal), close }
}

/** Finds a port that was free a moment ago: if these programs listen on port 0, they do not tell which port they got. */
export async function findFreePort(): Promise<number> {
  const [port] = await findFreePorts(1)
  return port!
}

/** Ports that differ: HAProxy would listen twice on the same port, and divide the connections between both listeners. */
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
