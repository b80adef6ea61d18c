import { computePeak, computeSum, mergeSeries, type Peak, summarizeMinutes } from '../fleet-result.ts'
import { type BlockCause, blockCauses, type ConfigurationResult, dayMinutes } from './configuration-day.ts'

/** A simulated day of a fleet with a configuration server. */
export interface PlayedConfiguration {
  /** The name or the file of its scenario. */
  readonly name: string
  readonly summary: string
  readonly desktops: number
  readonly seed: number
  readonly result: ConfigurationResult
}

/** How many people were blocked, and for how long each, in milliseconds. */
export interface Blocked {
  readonly people: number
  readonly halfAtMostMs: number
  readonly p95AtMostMs: number
  readonly longestMs: number
  readonly togetherMs: number
}

/** A fleet's day at its configuration server in numbers. */
export interface ConfigurationSummary extends Pick<ConfigurationResult, 'starts' | 'people' | 'turns' | 'lostTurns'> {
  readonly requests: { readonly all: number } & Readonly<Record<keyof ConfigurationResult['requests'], number>>
  readonly requestPeak: Peak
  /** The people whom a restart for a changed document blocked, of either kind; each is counted once. */
  readonly blockedByRestart: Blocked
  readonly blocked: Readonly<Record<BlockCause, Blocked>>
  readonly moments: readonly MomentRow[]
}

/** Summarizes a day in numbers; pure. */
export function summarizeConfiguration(result: ConfigurationResult): ConfigurationSummary {
  const { requests, blocked, starts, people, turns, lostTurns } = result
  const { document, unchanged, unreachable } = requests
  const all = mergeSeries(document, unchanged, unreachable)
  return {
    requests: {
      all: computeSum(all),
      document: computeSum(document),
      unchanged: computeSum(unchanged),
      unreachable: computeSum(unreachable),
    },
    requestPeak: computePeak(all),
    starts,
    people,
    turns,
    lostTurns,
    blockedByRestart: summarizeBlocked(result.blockedByRestart),
    blocked: {
      'own-restart': summarizeBlocked(blocked['own-restart']),
      'enforced-restart': summarizeBlocked(blocked['enforced-restart']),
      'no-document': summarizeBlocked(blocked['no-document']),
      'wrong-document': summarizeBlocked(blocked['wrong-document']),
    },
    moments: listMoments(result),
  }
}

/** The open clients by release at one time; 0 is for clients without a document. */
interface MomentRow {
  /** In UTC, such as `09:00`. */
  readonly at: string
  /** The changes that were published then; empty at a full hour. */
  readonly words: string
  readonly clients: readonly number[]
}

function summarizeBlocked(sorted: Float64Array): Blocked {
  const bound = (part: number) => Math.round(sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0)
  return {
    people: sorted.length,
    halfAtMostMs: bound(0.5),
    p95AtMostMs: bound(0.95),
    longestMs: bound(1),
    togetherMs: Math.round(sorted.reduce((sum, ms) => sum + ms, 0)),
  }
}

/** Lists every change, and every full hour with an open client. */
function listMoments({ changes, clientsPerMinute }: ConfigurationResult): MomentRow[] {
  const rows = changes.map(({ at, words }) => ({ minute: Math.floor(at / 60), words }))
  const hours = Array.from({ length: dayMinutes / 60 }, (_, hour) => hour * 60)
    .filter((minute) => clientsPerMinute.some((clients) => clients[minute]! > 0))
    .filter((minute) => rows.every((row) => row.minute !== minute))
    .map((minute) => ({ minute, words: '' }))
  return [...rows, ...hours]
    .toSorted((a, b) => a.minute - b.minute)
    .map(({ minute, words }) => ({
      at: renderMinute(minute),
      words,
      clients: clientsPerMinute.map((clients) => clients[minute]!),
    }))
}

function renderMinute(minute: number): string {
  return new Date(minute * 60_000).toISOString().slice(11, 16)
}

/** Converts a day for programs: its numbers, and series with one number for each minute of the day (UTC). */
export function toConfigurationRecord({ name, desktops, seed, result }: PlayedConfiguration) {
  const { requests, blockedPerMinute, clientsPerMinute, changes } = result
  const toRows = (select: (cause: BlockCause) => readonly number[]) =>
    Object.fromEntries(blockCauses.map((cause) => [cause, select(cause)]))
  return {
    scenario: name,
    desktops,
    seed,
    changes: changes.map(({ at, words }) => ({ at: renderMinute(Math.floor(at / 60)), words })),
    ...summarizeConfiguration(result),
    perMinute: {
      document: summarizeMinutes(requests.document),
      unchanged: summarizeMinutes(requests.unchanged),
      unreachable: summarizeMinutes(requests.unreachable),
      blocked: toRows((cause) => [...blockedPerMinute[cause]]),
      clients: clientsPerMinute.map((clients) => [...clients]),
    },
  }
}
