import { spawn, spawnSync } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import type { Measure } from './pairs.ts'

/** A whole process to be timed. */
export interface Timed {
  readonly file: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** Milliseconds from its start to its end. A process that fails fails the benchmark. */
export function timeProcess({ file, args, env }: Timed): Measure {
  return () => {
    const startedAt = performance.now()
    const { status, error, stderr } = spawnSync(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    if (error ?? status !== 0) throw new Error(`${file} ${args.join(' ')} failed: ${error ?? stderr}`)
    return performance.now() - startedAt
  }
}

/** Milliseconds until the last of many has ended, all started at once. */
export function timeBatch(count: number, prepare: () => Timed): Measure {
  return async () => {
    const timed = prepare()
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: count }, () => runToEnd(timed)))
    return performance.now() - startedAt
  }
}

/** Runs a process beside others; the time at which it had ended, by the clock of `performance`. */
export async function runToEnd({ file, args, env }: Timed): Promise<number> {
  const child = spawn(file, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const said: Buffer[] = []
  child.stderr.on('data', (chunk) => said.push(chunk))
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.on('error', reject).on('close', resolve)
  const status = await promise
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed: ${Buffer.concat(said)}`)
  return performance.now()
}
