import { exitStatus, type FailureKind } from '../../runtime/failure.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { programName } from '../../version.ts'
import type { CallOutcome } from '../call-outcome.ts'

/** The name of our entries in system logs: the identifier in the journal and syslog, the source in the Event Log. */
export const logName = programName

/** The severity of an event, in the words of Windows, which has the fewest. */
export type EventLevel = 'error' | 'warning' | 'information'

/** An event for the log of the operating system. */
export interface LogEvent {
  readonly kind: EventKind
  /** One line of JSON. */
  readonly text: string
  /** The call, if the event is about one call. */
  readonly outcome?: CallOutcome
}

/** The subject of an event: a new token, a kept one, a failure, or a count of calls. */
export type EventKind = 'mint' | 'kept' | 'cached' | 'lost' | FailureKind

const failureMessageId = 'ee35e12108224f408cd61a18fb359b4f'

/**
 * The severity of each failure. Only one that an administrator has to fix is an error, because a person signs in every day, and an
 * unavailable source becomes available again.
 */
const failureLevels: Readonly<Record<FailureKind, EventLevel>> = {
  usage: 'error',
  'not-configured': 'error',
  'sign-in-required': 'information',
  refused: 'warning',
  unavailable: 'warning',
  late: 'warning',
  bug: 'error',
  unwritable: 'error',
}

const otherEvents = {
  mint: { level: 'information', eventId: 100, messageId: 'aed049aad9264af7b01cc434409328bb' },
  kept: { level: 'warning', eventId: 101, messageId: 'ebd1cd3819a040e0a1150f831ae306f9' },
  cached: { level: 'information', eventId: 102, messageId: '0bbcba5ee42643cd88021ee3e76f346f' },
  lost: { level: 'warning', eventId: 103, messageId: '14c1c330dadd4756b60fdd62fc2ea59d' },
} as const satisfies Record<string, EventFacts>

/** Every kind of event. The number of a failure is 200 and its exit status. */
export const eventFacts: Readonly<Record<EventKind, EventFacts>> = {
  ...otherEvents,
  ...(Object.fromEntries(
    Object.entries(failureLevels).map(([kind, level]) => [kind, toFacts(kind as FailureKind, level)]),
  ) as Record<FailureKind, EventFacts>), // the keys of that table
}

function toFacts(kind: FailureKind, level: EventLevel): EventFacts {
  return { level, eventId: 200 + exitStatus[kind], messageId: failureMessageId }
}

/**
 * A count of calls in one line of a system's log: calls that one helper served from its cache, or calls of which nothing else is
 * known. Every other call has a line of its own.
 */
export type CallCount =
  | {
      /** When the last of the calls started, in milliseconds since the epoch. */
      readonly time: number
      readonly helper: string
      readonly version: string
      readonly cached: number
    }
  | { readonly time: number; readonly lost: number }

/** Renders a count as one line of JSON, without a line break. */
export function renderCallCount(count: CallCount): string {
  return JSON.stringify(count)
}

interface EventFacts {
  readonly level: EventLevel
  /** The number in the Event Log: at most 1000, because `EventCreate.exe` has texts only for those. */
  readonly eventId: number
  /** The `MESSAGE_ID` in the journal. */
  readonly messageId: string
}

/** Parses the line of {@link renderCallCount}. @returns `undefined` for any other line. */
export function parseCallCount(line: string): CallCount | undefined {
  const { time, helper, version, cached, lost, ...others } = parseObject(line) ?? {}
  if (!isCount(time) || Object.keys(others).length > 0) return undefined
  if (isCount(lost) && helper === undefined && version === undefined && cached === undefined) return { time, lost }
  if (!isCount(cached) || lost !== undefined || typeof helper !== 'string' || typeof version !== 'string')
    return undefined
  return { time, helper, version, cached }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
