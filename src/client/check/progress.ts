import { performance } from 'node:perf_hooks'
import type { ActiveRun, CheckRunner } from './runs/check-runner.ts'

/** The progress of a check, and the runs that it waits for. */
export interface CheckProgress {
  /** How many of the `steps` are done. */
  readonly done: number
  readonly steps: number
  /** The runs that have not ended yet, in the order in which they were started. */
  readonly waitingFor: readonly WaitingRun[]
}

/** Reports at once, before the first step. */
export function startProgressReporter(
  steps: number,
  { active }: CheckRunner,
  onProgress: (progress: CheckProgress) => void,
): ProgressReporter {
  let done = 0
  const report = () => onProgress({ done, steps, waitingFor: [...active].map(toWaitingRun) })
  const timer = setInterval(report, 1000)
  report()
  return {
    endStep: () => {
      done += 1
      report()
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** A run that a check waits for. */
interface WaitingRun {
  /** The conditions of the run, such as `in the context background`. */
  readonly title: string
  readonly forSec: number
  readonly atMostSec: number
}

/** Reports progress once a second and after each step, until it is disposed of. */
interface ProgressReporter extends Disposable {
  endStep(): void
}

function toWaitingRun({ title, startedAtMs, limitMs }: ActiveRun): WaitingRun {
  const forSec = Math.round((performance.now() - startedAtMs) / 1000)
  return { title, forSec, atMostSec: Math.ceil(limitMs / 1000) }
}
