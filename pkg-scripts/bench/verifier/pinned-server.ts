import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { apiPaths } from '../../../src/contract/http-api.ts'
import { toBundlePath } from '../../tree.ts'
import type { BenchPolicy } from './bench-policy.ts'

/** The core of the load generators; the measured server has {@link serverCore}. */
export const loadCore = '1'

/** A server process on one core, which ends when it is disposed. */
export interface PinnedServer extends AsyncDisposable {
  /** The address, with the requested path. */
  readonly url: string
  /** In bytes, as the system counts it. */
  measureResidentBytes(): Promise<number>
  /** Seconds of processor time that it has used. */
  measureProcessorSec(): Promise<number>
}

/** Starts the bundle of the `gatepass` command as administrators do. */
export function startVerifier({ policyPath }: BenchPolicy, options: readonly string[] = []): Promise<PinnedServer> {
  const command = ['gateway', 'verifier', '--policy', policyPath, '--listen', '127.0.0.1:0', ...options]
  const cores = options.includes('--processes') ? `${serverCore},${loadCore}` : serverCore
  return startPinned([toBundlePath('gatepass'), ...command], apiPaths.messages, cores)
}

/** Starts the configuration server of the same bundle, which writes its audit. */
export function startConfigurationServer(
  { policyPath }: BenchPolicy,
  { directory, publicKey }: { readonly directory: string; readonly publicKey: string },
): Promise<PinnedServer> {
  const release = ['--release', directory, '--public-key', publicKey, '--audit', `${directory}.audit`]
  return startPinned(
    [toBundlePath('gatepass'), 'bootstrap', 'serve', '--policy', policyPath, ...release, '--listen', '127.0.0.1:0'],
    '/bootstrap',
  )
}

/**
 * Starts the web framework alone on the same Node. With a body it answers like a configuration server; with a public key it verifies the
 * signature of each token.
 */
export function startBareServer(answer: {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly jwk?: string
}): Promise<PinnedServer> {
  const { headers, body, jwk } = answer
  return startPinned([join(import.meta.dirname, 'bare-server.ts'), JSON.stringify({ headers, body, jwk })], '/any')
}

async function startPinned(args: readonly string[], path: string, cores = serverCore): Promise<PinnedServer> {
  const child = spawn('taskset', ['-c', cores, process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { listen } = JSON.parse(await readLine(child)) as { readonly listen: string }
  const readFacts = (name: string) => readFile(`/proc/${child.pid}/${name}`, 'utf8')
  return {
    url: `${listen}${path}`,
    measureResidentBytes: async () => Number(/^VmRSS:\s+(\d+)/m.exec(await readFacts('status'))?.[1]) * 1024,
    measureProcessorSec: async () => {
      // The fields after the name, which may contain spaces: 14 and 15 of proc(5), in hundredths of a second.
      const fields = (await readFacts('stat')).replace(/^.*\) /, '').split(' ')
      return (Number(fields[11]) + Number(fields[12])) / 100
    },
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM') // it then ends its own processes
      await ended
    },
  }
}

/** The core of servers; the load has the other one, and a verifier of several processes both. */
export const serverCore = '0'

async function readLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! }) // a pipe, as it was started
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([status]) => {
      throw new Error(`the server under load ended with ${status}`)
    }),
  ])
  return line
}
