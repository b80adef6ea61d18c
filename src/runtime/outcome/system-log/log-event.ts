import { exitStatus, type FailureKind } from '../../failure.ts'
import type { CallOutcome } from '../call-outcome.ts'

/** How much an event matters, in words of Windows, which has the fewest. */
export type EventLevel = 'error' | 'warning' | 'information'

/** An event in a system's log. */
export interface LogEvent {
  readonly kind: EventKind
  /** One line of JSON. */
  readonly text: string
  /** The call, where the event is about one. */
  readonly outcome?: CallOutcome
}

/** What an event says: a new token, a kept one, a failure, or a count of calls. */
export type EventKind = 'mint' | 'kept' | 'cached' | 'lost' | FailureKind

interface EventFacts {
  readonly level: EventLevel
  /** Its number in the Event Log: at most 1000, because the texts of `EventCreate.exe` have no others. */
  readonly eventId: number
  /** Its `MESSAGE_ID` in the journal. */
  readonly messageId: string
}

const failureMessageId = 'ee35e12108224f408cd61a18fb359b4f'

/** A person signs in every day, and a source that is away comes back; what an administrator has to change is an error. */
const failureLevels: Readonly<Record<FailureKind, EventLevel>> = {
  usage: 'error',
  'not-configured': 'error',
  'sign-in-required': 'information',
  refused: 'warning',
  unavailable: 'warning',
  late: 'warning',
  bug: 'error',
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
  usage: toFacts('usage'),
  'not-configured': toFacts('not-configured'),
  'sign-in-required': toFacts('sign-in-required'),
  refused: toFacts('refused'),
  unavailable: toFacts('unavailable'),
  late: toFacts('late'),
  bug: toFacts('bug'),
}

function toFacts(kind: FailureKind): EventFacts {
  return { level: failureLevels[kind], eventId: 200 + exitStatus[kind], messageId: failureMessageId }
}
