import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type RotatingIssuer, startRotatingIssuer } from '../../test/stand-ins/issuer/rotating-issuer.ts'
import { bundleAll } from '../bundle/bundle.ts'
import { toBundlePath } from '../tree.ts'

/** A cause of answers that differ for a while. */
export type Trouble = 'policy' | 'keys' | 'redis' | 'process'

/** A verifier of two processes, with an issuer and a Redis that writes each use to the disk. */
export interface EnduranceStage extends AsyncDisposable {
  /** The address that gateways ask. */
  readonly listen: string
  readonly issuer: RotatingIssuer
  /** Whether the policy accepts the team `blue` in addition to `red`. */
  isBlueIn: boolean
  readonly troubles: Record<Trouble, TroubleTimes>
  writePolicy(): Promise<void>
  /** Lets the verifier read its files again. */
  reload(): void
  killRedis(): Promise<void>
  startRedis(): Promise<void>
  /** Kills one of the serving processes. */
  killProcess(): Promise<void>
  /** The memory of the largest serving process, in MiB. */
  measureMiB(): Promise<number>
}

/** The time of the last disturbance in epoch milliseconds: `Infinity` during it, `-Infinity` before the first. */
interface TroubleTimes {
  readonly from: number
  readonly until: number
}

const audience = 'models'

const never: TroubleTimes = { from: -Infinity, until: -Infinity }

/** Builds the command and starts everything. */
export async function openStage(): Promise<EnduranceStage> {
  await bundleAll()
  const home = await mkdtemp(join(tmpdir(), 'gatepass-endurance-'))
  const issuer = await startRotatingIssuer()
  const port = await locatePort()
  let redis = await startRedis(port, home)
  const policy = join(home, 'policy.json')
  const stage = { isBlueIn: false }
  const writePolicy = async () => {
    await writeFile(`${policy}.new`, renderPolicy(issuer.issuer, stage.isBlueIn))
    await rename(`${policy}.new`, policy)
  }
  await writePolicy()
  const command = ['gateway', 'verifier', '--policy', policy, '--listen', '127.0.0.1:0', '--processes', '2']
  const verifier = spawn(
    process.execPath,
    [toBundlePath('gatepass'), ...command, '--redis', `redis://127.0.0.1:${port}`, '--audit', join(home, 'audit')],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  const [line] = await once(createInterface({ input: verifier.stdout }), 'line')
  const listProcesses = async () => {
    const path = `/proc/${verifier.pid}/task/${verifier.pid}/children`
    return (await readFile(path, 'utf8')).trim().split(' ').filter(Boolean).map(Number)
  }
  return Object.assign(stage, {
    listen: JSON.parse(line).listen as string, // the command prints it
    troubles: { policy: never, keys: never, redis: never, process: never },
    issuer,
    writePolicy,
    reload: () => void verifier.kill('SIGHUP'),
    killRedis: () => end(redis, 'SIGKILL'),
    startRedis: async () => {
      redis = await startRedis(port, home)
    },
    killProcess: async () => {
      const [first] = await listProcesses()
      if (first !== undefined) process.kill(first, 'SIGKILL')
    },
    measureMiB: async () => Math.max(0, ...(await Promise.all((await listProcesses()).map(readMiB)))),
    [Symbol.asyncDispose]: async () => {
      await end(verifier, 'SIGTERM')
      await end(redis, 'SIGKILL')
      await issuer[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  })
}

/** Finds a free port below the range for outgoing connections, so that Redis gets it again. */
async function locatePort(): Promise<number> {
  for (let port = 21_000 + (process.pid % 9_000); ; port += 1) {
    const server = createServer()
    const isFree = await new Promise<boolean>((found) => {
      server.once('error', () => found(false)).listen(port, '127.0.0.1', () => found(true))
    })
    if (!isFree) continue
    await new Promise((closed) => server.close(closed))
    return port
  }
}

/** Redis writes each use to the disk before it answers, so that no used token is lost. */
async function startRedis(port: number, directory: string): Promise<ChildProcess> {
  const places = ['--bind', '127.0.0.1', '--port', String(port), '--dir', directory, '--save', '']
  const child = spawn('redis-server', [...places, '--appendonly', 'yes', '--appendfsync', 'always'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const line of createInterface({ input: child.stdout })) if (/Ready to accept/.test(line)) break
  child.stdout.resume()
  return child
}

function renderPolicy(issuer: string, isBlueIn: boolean): string {
  const headers = { 'x-user': '{sub}' }
  const people = { name: 'people', issuer, claims: { team: isBlueIn ? ['red', 'blue'] : ['red'] }, headers }
  const single = { name: 'single', issuer, claims: { team: ['once'] }, headers, use: 'once' }
  return JSON.stringify({ issuers: [{ issuer, audiences: [audience] }], rules: [people, single] })
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** Reads the memory of a process; zero after its end. */
async function readMiB(id: number): Promise<number> {
  const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '')
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024)
}
