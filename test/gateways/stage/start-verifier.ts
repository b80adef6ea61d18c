import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'

/** `gatepass gateway verifier` as a process. */
export interface VerifierProcess {
  /** The Unix socket on which it answers. */
  readonly socket: string
  /** Starts it again. */
  start(): Promise<void>
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>
  /** Ends it as a service manager does, and returns what it has written. */
  stop(): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>
}

interface VerifierSettings {
  readonly policy: string
  readonly socket: string
  readonly env: Readonly<Record<string, string>>
  readonly argv?: readonly string[]
}

/** Starts the built command on a Unix socket, and waits until it takes connections. A verifier that does not start in time is ended. */
export async function startVerifier(settings: VerifierSettings): Promise<VerifierProcess> {
  let running = await launch(settings)
  return {
    socket: settings.socket,
    start: async () => {
      running = await launch(settings)
    },
    kill: () => running.kill(),
    stop: () => running.stop(),
  }
}

async function launch({ policy, socket, env, argv = [] }: VerifierSettings) {
  const words = ['gateway', 'verifier', '--policy', policy, '--listen', socket, ...argv]
  const child = spawn(process.execPath, [toBundlePath('gatepass'), ...words], {
    env,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = Promise.all([text(child.stdout), text(child.stderr)])
  const ended = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  await waitForSocket(socket, child, written).catch(async (error: unknown) => {
    await kill()
    throw error
  })
  return {
    kill,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      const [stdout, stderr] = await written
      return { status: child.exitCode, stdout, stderr }
    },
  }
}

async function waitForSocket(path: string, child: ChildProcess, written: Promise<string[]>): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(25)) {
    if (child.exitCode !== null) throw new Error(`the verifier has ended: ${(await written).join('')}`)
    if (await isListening(path)) return
  }
  throw new Error(`nothing listens on ${path}`)
}

function isListening(path: string): Promise<boolean> {
  const socket = connect(path)
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}
