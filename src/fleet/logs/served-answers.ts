import type { RawObject } from '../../runtime/values/json-value.ts'

/** One line of the audit of a configuration server: an answer, a count of answers, or a step of a device sign-in. */
export interface ServedAnswer {
  /** Epoch milliseconds. */
  readonly time: number
  /** The number of answers; 0 for a step of a device sign-in. */
  readonly count: number
  /** The outcome of a step of a device sign-in, with the reason of a refusal; absent for answers. */
  readonly deviceStep?: string
  /** Absent for counted answers, and for steps of device sign-ins. */
  readonly status: number | undefined
  /** The reason of a refusal. */
  readonly reason: string | undefined
  /** The person in the form of the audit, plain or as a digest; absent for a stranger. */
  readonly subject: string | undefined
  /** The id of the document's release; absent without a document. */
  readonly release: string | undefined
}

/** Parses a line that `src/bootstrap/serve/audit.ts` renders; `undefined` for anything else. */
export function parseServedAnswer({ bootstrap, ...line }: RawObject): ServedAnswer | undefined {
  const { time, count, status, reason, issuer, subject, release } = line
  if (typeof time !== 'number' || !(time >= 0)) return undefined
  const none = { status: undefined, reason: undefined, subject: undefined, release: undefined }
  if (bootstrap === 'omitted') return typeof count === 'number' && count > 0 ? { time, count, ...none } : undefined
  if (bootstrap === 'device') {
    const outcome = toWord(line.outcome)
    const why = toWord(reason)
    if (outcome === undefined) return undefined
    return { time, count: 0, ...none, deviceStep: why === undefined ? outcome : `${outcome} (${why})` }
  }
  if (bootstrap !== 'answer' || typeof status !== 'number') return undefined
  // 204 is the answer of a server that decides, for which a web server has sent the document.
  const isDocument = status === 200 || status === 204 || status === 304
  return {
    time,
    count: 1,
    status,
    reason: toWord(reason),
    subject:
      typeof subject === 'string' ? `${toWord(issuer, 200) ?? ''} ${subject.slice(0, longestSubject)}` : undefined,
    release: isDocument ? toWord(release) : undefined,
  }
}

const longestSubject = 500

function toWord(value: unknown, longest = 64): string | undefined {
  return typeof value === 'string' && value.length <= longest && /^[\x21-\x7e]+$/.test(value) ? value : undefined
}

/** The totals of any number of answers. Their size depends on the people. */
export interface ServedTotals {
  answers: number
  omitted: number
  /** The latest document that each person received or still has. */
  readonly people: Map<string, { readonly release: string; readonly at: number }>
  readonly refusals: Map<string, number>
  /** The number of each step of device sign-ins. */
  readonly deviceSteps: Map<string, number>
}

export function createServedTotals(): ServedTotals {
  return { answers: 0, omitted: 0, people: new Map(), refusals: new Map(), deviceSteps: new Map() }
}

/** Adds an answer to the totals. The latest release of each person is kept, in whatever order the logs are read. */
export function addServedAnswer(totals: ServedTotals, answer: ServedAnswer): void {
  const { time, count, status, reason, subject, release, deviceStep } = answer
  totals.answers += count
  if (deviceStep !== undefined) addWord(totals.deviceSteps, deviceStep)
  if (status === undefined) totals.omitted += count
  if (reason !== undefined) addWord(totals.refusals, `${reason} (${status})`)
  if (subject === undefined || release === undefined) return
  const known = totals.people.get(subject)
  if (!known || known.at <= time) totals.people.set(subject, { release, at: time })
}

function addWord(numbers: Map<string, number>, word: string): void {
  numbers.set(word, (numbers.get(word) ?? 0) + 1)
}

/** The people by release, and the people who were refused. */
export interface ServedSummary {
  readonly answers: number
  /** Answers to strangers that the audit only counted. */
  readonly omitted: number
  /** The releases, newest first, by their counter. */
  readonly releases: readonly { readonly release: string; readonly people: number; readonly seenAt: number }[]
  /** The reasons, most frequent first. */
  readonly refusals: readonly { readonly reason: string; readonly answers: number }[]
  /** The steps of device sign-ins, most frequent first. */
  readonly deviceSteps: readonly { readonly step: string; readonly times: number }[]
  /** Every person with the release of the latest document. */
  readonly people: readonly { readonly person: string; readonly release: string; readonly seenAt: number }[]
}

/** Summarizes the answers and the device sign-ins; `undefined` without any. */
export function summarizeServed(totals: ServedTotals): ServedSummary | undefined {
  const { answers, omitted, people, refusals, deviceSteps } = totals
  if (answers === 0 && deviceSteps.size === 0) return undefined
  const byRelease = Map.groupBy(people.values(), ({ release }) => release)
  const releases = [...byRelease].map(([release, group]) => ({
    release,
    people: group.length,
    seenAt: group.reduce((latest, { at }) => Math.max(latest, at), 0),
  }))
  return {
    answers,
    omitted,
    releases: releases.toSorted((a, b) => toCounter(b.release) - toCounter(a.release)),
    refusals: [...refusals]
      .map(([reason, count]) => ({ reason, answers: count }))
      .toSorted((a, b) => b.answers - a.answers),
    deviceSteps: [...deviceSteps]
      .map(([step, times]) => ({ step, times }))
      .toSorted((a, b) => b.times - a.times || (a.step < b.step ? -1 : 1)),
    people: [...people].map(([person, { release, at }]) => ({ person, release, seenAt: at })),
  }
}

/** Parses the counter with which the id of a release begins. */
function toCounter(release: string): number {
  return Number.parseInt(release, 10) || 0
}
