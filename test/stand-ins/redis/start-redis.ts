import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

interface RunningRedis {
  readonly port: number
  /** Its directory, which `settings` may name as `{directory}`. */
  readonly directory: string
  signal(signal: NodeJS.Signals): void
  /** Kills it, and waits for its end. */
  kill(): Promise<void>
  /** Starts it again on the same port, without anything that it knew. */
  restart(): Promise<void>
}

/** Starts a real `redis-server` without persistence, by default on a port of loopback, ended with the test. */
export async function startRedis(...settings: readonly string[]): Promise<RunningRedis> {
  const [port, directory] = await Promise.all([findPort(), temporaryDirectory()])
  const placed = settings.map((text) => text.replace('{directory}', directory).replace('{port}', String(port)))
  const listening = settings.includes('--tls-port') ? ['--port', '0'] : ['--port', String(port)]
  const start = () => launch(['--bind', '127.0.0.1', ...listening, '--save', '', '--dir', directory, ...placed])
  let child = await start()
  const kill = async () => {
    const ended = new Promise<void>((end) => child.once('exit', () => end()))
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await ended
  }
  onTestFinished(kill)
  return {
    port,
    directory,
    signal: (signal) => void child.kill(signal),
    kill,
    restart: async () => {
      child = await start()
    },
  }
}

async function launch(settings: readonly string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'ignore'] })
  let printed = ''
  await new Promise<void>((ready, failed) => {
    child.once('error', failed)
    child.once('exit', () => failed(new Error(printed)))
    child.stdout.on('data', (bytes) => {
      printed += bytes
      if (/Ready to accept connections|Sentinel ID is/.test(printed)) ready()
    })
  })
  return child
}

/** Finds a free port below those that systems give to connections, so that none takes it before the server listens, or starts again. */
async function findPort(): Promise<number> {
  const port = randomInt(20_000, 32_000)
  const server = createServer()
  const isFree = await new Promise<boolean>((end) => {
    server.once('error', () => end(false)).listen(port, '127.0.0.1', () => end(true))
  })
  if (!isFree) return findPort()
  await new Promise((closed) => server.close(closed))
  return port
}
