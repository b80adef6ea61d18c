import { spawn, spawnSync } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import type { Measure } from './compare-pairs.ts'

/** A process whose time is measured from its start to its end. */
export interface TimedProcess {
  readonly file: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** Returns a measurement of one process in milliseconds. It throws if the process fails. */
export function measureProcess({ file, args, env }: TimedProcess): Measure {
  return () => {
    const startedAt = performance.now()
    const { status, error, stderr } = spawnSync(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    if (error ?? status !== 0) throw new Error(`${file} ${args.join(' ')} failed: ${error ?? stderr}`)
    return performance.now() - startedAt
  }
}

/** Returns a measurement of many concurrent processes, in milliseconds until the last one ends. */
export function measureBatch(count: number, prepare: () => TimedProcess): Measure {
  return async () => {
    const timed = prepare()
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: count }, () => runToEnd(timed)))
    return performance.now() - startedAt
  }
}

/** Runs a process beside others. Returns the time of its end, by the clock of `performance`. */
export async function runToEnd({ file, args, env }: TimedProcess): Promise<number> {
  const child = spawn(file, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const said: Buffer[] = []
  child.stderr.on('data', (chunk) => said.push(chunk))
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.on('error', reject).on('close', resolve)
  const status = await promise
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed: ${Buffer.concat(said)}`)
  return performance.now()
}
