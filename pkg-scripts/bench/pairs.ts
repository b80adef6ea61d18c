import { spawnSync } from 'node:child_process'
import { performance } from 'node:perf_hooks'

/** A whole process to be timed. */
export interface Timed {
  readonly file: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** Milliseconds, or a ratio, over all pairs. */
export interface Spread {
  readonly min: number
  readonly median: number
  readonly max: number
}

export interface Comparison {
  readonly subject: Spread
  readonly floor: Spread
  /** Subject over floor, pair by pair: what stays when the machine's speed drifts. */
  readonly ratio: Spread
}

/** Times two processes in turn, after one uncounted run of each. */
export function comparePairs(subject: Timed, floor: Timed, pairs: number): Comparison {
  time(subject)
  time(floor)
  const times = Array.from({ length: pairs }, () => [time(subject), time(floor)] as const)
  return {
    subject: spreadOf(times.map(([a]) => a)),
    floor: spreadOf(times.map(([, b]) => b)),
    ratio: spreadOf(times.map(([a, b]) => a / b)),
  }
}

function time({ file, args, env }: Timed): number {
  const startedAt = performance.now()
  const { status, error, stderr } = spawnSync(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  if (error ?? status !== 0) throw new Error(`${file} ${args.join(' ')} failed: ${error ?? stderr}`)
  return performance.now() - startedAt
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  return { min: sorted[0]!, median: sorted[Math.floor(sorted.length / 2)]!, max: sorted.at(-1)! }
}
