// Folder: fleets of desktops: the results of a simulated day as numbers, text and pages, and the same load for load engines.

import { unitSec } from '../runtime/values/duration.ts'

/** One step of a person's day. Between `sleep` and `wake`, and after `leave`, a laptop is off. */
export type PersonStep = 'begin' | 'turn' | 'sleep' | 'wake' | 'leave'

/** Receives each event, with its time in milliseconds of the simulation. */
export type ObserveFleet = (desktop: number, at: number, event: FleetEvent) => void

/** An event at one simulated desktop: a step of its agenda, a mint with its cause, a run with its token's origin, or the end of a turn. */
type FleetEvent =
  | PersonStep
  | 'task'
  | `mint: ${MintCause}`
  | `run: ${keyof FleetResult['runs']}`
  | `turn: ${'sent' | 'rescued' | FleetLoss}`

/** Why a turn of a simulated desktop was lost: its helper failed, or the gateway refused the fresh token too. */
export type FleetLoss = 'no-credential' | 'unauthorized'

/** The cause of a mint: the desktop had no valid token, its token was renewed in time, or the gateway refused it. */
export type MintCause = 'first' | 'renewal' | 'refusal'

/** The seconds of the counted day, which is the length of a series. */
export const daySec = unitSec.d

/** The counted day of a fleet under one choice. Series have one number for each second of the day. */
export interface FleetResult {
  /** Requests that the provider answered with a token, by cause. */
  readonly mints: Readonly<Record<MintCause, Uint32Array>>
  /** All requests to the provider, including those that it refused or that did not reach it. */
  readonly requests: Uint32Array
  /** The requests with problems: answered with 429, not delivered to the provider, or answered with a token too late for the helper. */
  readonly throttled: Uint32Array
  readonly unreachable: Uint32Array
  readonly late: Uint32Array
  /** Turns, by the second in which they were sent or lost. They are the load of the gateway. */
  readonly turns: Uint32Array
  /** Turns that a new token rescued after a 401, and lost turns, by the same second. */
  readonly rescued: Uint32Array
  readonly lost: Readonly<Record<FleetLoss, Uint32Array>>
  /** Helper runs, by the origin of their tokens. */
  readonly runs: Readonly<Record<'cache' | 'mint' | 'kept' | 'failed', number>>
  /** The numbers of turns by their wait for a helper run: one for each step of {@link waitStepsMs}, and one beyond the last. */
  readonly waits: Uint32Array
}

/** The upper bounds of the steps of waiting times, in milliseconds. */
export const waitStepsMs = [
  50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000,
] as const

/** One number for each second of a day. */
export type Series = Uint32Array

/** Adds the series second by second. */
export function mergeSeries(...all: readonly Series[]): Series {
  const joined = new Uint32Array(daySec)
  for (const series of all) for (let second = 0; second < daySec; second += 1) joined[second]! += series[second] ?? 0
  return joined
}

/** Counts all tokens that the provider gave. */
export function countMints({ mints }: FleetResult): Series {
  return mergeSeries(mints.first, mints.renewal, mints.refusal)
}

export function countLost({ lost }: FleetResult): Series {
  return mergeSeries(lost['no-credential'], lost.unauthorized)
}

/** Adds up the numbers of all seconds, or of all minutes. */
export function computeSum(series: Series): number {
  return series.reduce((sum, number) => sum + number, 0)
}

/** Computes the largest number and the first second that has it. */
export function computePeak(series: Series): Peak {
  const perSec = series.reduce((most, number) => Math.max(most, number), 0)
  return { perSec, at: new Date(series.indexOf(perSec) * 1000).toISOString().slice(11, 19) }
}

/** The busiest second and its number. */
export interface Peak {
  readonly perSec: number
  /** In UTC, such as `09:03:12`. */
  readonly at: string
}

/** Sums up every minute, from midnight on. */
export function summarizeMinutes(series: Series): number[] {
  return splitSeries(series, 60).map(computeSum)
}

/** Selects the largest number of every `seconds` seconds, from midnight on. */
export function selectPeaks(series: Series, seconds: number): number[] {
  return splitSeries(series, seconds).map((part) => computePeak(part).perSec)
}

function splitSeries(series: Series, seconds: number): Series[] {
  const parts = Math.ceil(daySec / seconds)
  return Array.from({ length: parts }, (_, part) => series.subarray(part * seconds, (part + 1) * seconds))
}
