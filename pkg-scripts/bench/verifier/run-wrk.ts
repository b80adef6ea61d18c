import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loadCore, type PinnedServer } from './pinned-server.ts'

/** Sends as many requests as the server can answer, over 32 connections, from the other core. */
export async function runWrk({
  url,
  seconds,
  script,
  args,
  expect,
}: WrkLoad): Promise<{ count: number; perSec: number }> {
  const path = join(import.meta.dirname, script)
  const wrk = ['wrk', '-t1', '-c32', `-d${seconds}s`, '-s', path, url, ...args]
  const { stdout } = await run('taskset', ['-c', loadCore, ...wrk])
  const parseCount = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0)
  const count = parseCount(/(\d+) requests in/)
  const refused = parseCount(/Non-2xx or 3xx responses: (\d+)/)
  const failed = parseCount(/Socket errors: (.*[1-9].*)/) !== 0
  if (count === 0 || failed || refused !== (expect === 'all pass' ? 0 : count))
    throw new Error(`wrk reports:\n${stdout}`)
  return { count, perSec: parseCount(/Requests\/sec:\s+([\d.]+)/) }
}

/** The requests that `wrk` sends, and the expected answers. */
interface WrkLoad {
  readonly url: string
  readonly seconds: number
  /** A script of this folder. */
  readonly script: 'many-tokens.lua' | 'unknown-keys.lua'
  readonly args: readonly string[]
  /** Whether every answer must be a 2xx, or no answer may be. */
  readonly expect: 'all pass' | 'none passes'
}

/** The rate of a server's answers. */
export interface RateMeasurement {
  readonly perSec: number
  /** On a machine that others use too, this is more reliable than the rate. */
  readonly perCpuSec: number
}

/** Sends as many requests as the server can answer, and measures its processor time too. */
export async function measureRate(server: PinnedServer, load: Omit<WrkLoad, 'url'>): Promise<RateMeasurement> {
  const before = await server.measureProcessorSec()
  const { count, perSec } = await runWrk({ ...load, url: server.url })
  return { perSec, perCpuSec: count / ((await server.measureProcessorSec()) - before) }
}

/** Renders a measurement for a line of the output. */
export function renderRate({ perSec, perCpuSec }: RateMeasurement): string {
  return `${Math.round(perSec)}/s (${Math.round(perCpuSec)} per second of its processor time)`
}

const run = promisify(execFile)
