import { daySec, type FleetLoss, type FleetResult, type MintCause, waitStepsMs } from '../fleet-result.ts'

/** Counts the last day of a simulation; what happens before it, and after it, is not counted. */
export class FleetCounts {
  readonly #fromSec: number
  readonly mints: Readonly<Record<MintCause, Uint32Array>> = {
    first: new Uint32Array(daySec),
    renewal: new Uint32Array(daySec),
    refusal: new Uint32Array(daySec),
  }
  readonly requests = new Uint32Array(daySec)
  readonly throttled = new Uint32Array(daySec)
  readonly unreachable = new Uint32Array(daySec)
  readonly late = new Uint32Array(daySec)
  readonly turns = new Uint32Array(daySec)
  readonly rescued = new Uint32Array(daySec)
  readonly lost: Readonly<Record<FleetLoss, Uint32Array>> = {
    'no-credential': new Uint32Array(daySec),
    unauthorized: new Uint32Array(daySec),
  }
  readonly runs = { cache: 0, mint: 0, kept: 0, failed: 0 }
  readonly waits = new Uint32Array(waitStepsMs.length + 1)

  constructor(fromMs: number) {
    this.#fromSec = fromMs / 1000
  }

  /** Counts one more in the second of a moment. */
  count(series: Uint32Array, at: number): void {
    const second = Math.floor(at / 1000) - this.#fromSec
    if (second >= 0 && second < daySec) series[second]! += 1
  }

  countRun(origin: keyof FleetResult['runs'], at: number): void {
    const second = Math.floor(at / 1000) - this.#fromSec
    if (second >= 0 && second < daySec) this.runs[origin] += 1
  }

  /** Counts a turn that was sent at a moment, or lost. */
  countTurn(at: number, waitedMs: number): void {
    const second = Math.floor(at / 1000) - this.#fromSec
    if (second < 0 || second >= daySec) return
    this.turns[second]! += 1
    let step = 0
    while (step < waitStepsMs.length && waitedMs > waitStepsMs[step]!) step += 1
    this.waits[step]! += 1
  }
}
