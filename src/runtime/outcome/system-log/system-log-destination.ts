import { existsSync } from 'node:fs'
import type { Clock, Deadline } from '../../deadline.ts'
import { HelperError } from '../../failure.ts'
import type { OutcomeBatch, OutcomeDestination } from '../destination.ts'
import { writeToEventLog } from './event-log.ts'
import { writeToJournal } from './journal.ts'
import type { LogEvent } from './log-event.ts'
import { writeToSyslog } from './syslog.ts'
import { toEventKind, toLogEvents } from './to-log-events.ts'

/** Where the logs of a system stand; tests name others. */
export interface LogLocations {
  /** By its path: a program of that name in a directory of the user's is not run. */
  readonly logger: string
  readonly journalSocket: string
  readonly syslogSocket: string
}

/** What Linux and macOS have. */
const systemLocations: LogLocations = {
  logger: '/usr/bin/logger',
  journalSocket: '/run/systemd/journal/socket',
  syslogSocket: '/dev/log',
}

/** Each event is a run of `logger`, of a few milliseconds. */
const mostAtOnce = 50

/** The log of this system: the journal or else syslog, macOS' unified log, Windows' Event Log. */
export function createSystemLogDestination(
  platform: NodeJS.Platform,
  clock: Pick<Clock, 'now'>,
  locations: LogLocations = systemLocations,
): OutcomeDestination {
  return {
    name: 'log',
    split: splitBatch,
    send: (batch, within) => writeEvents(platform, locations, toLogEvents(batch, clock.now()), within),
  }
}

/** Calls that have an event of their own, so many at once; then those that are counted, all at once, so that they are one event. */
function splitBatch({ outcomes, lost, resource }: OutcomeBatch): OutcomeBatch[] {
  const counted = outcomes.filter((outcome) => toEventKind(outcome) === 'cached')
  const single = outcomes.filter((outcome) => toEventKind(outcome) !== 'cached')
  const parts: OutcomeBatch[] = []
  for (let begin = 0; begin < single.length; begin += mostAtOnce)
    parts.push({ outcomes: single.slice(begin, begin + mostAtOnce), lost: 0, resource })
  return counted.length + lost === 0 ? parts : [...parts, { outcomes: counted, lost, resource }]
}

async function writeEvents(
  platform: NodeJS.Platform,
  { logger, journalSocket, syslogSocket }: LogLocations,
  events: readonly LogEvent[],
  within: Deadline,
): Promise<void> {
  if (platform === 'win32') return writeToEventLog(events)
  if (platform === 'darwin') return writeToSyslog(logger, events, within)
  if (existsSync(journalSocket)) return writeToJournal(logger, events, within)
  // Without its socket, `logger` says nothing and succeeds.
  if (existsSync(syslogSocket)) return writeToSyslog(logger, events, within)
  const message = `there is no system log here: neither ${journalSocket} nor ${syslogSocket}`
  throw new HelperError('unavailable', message, 'start the log, or name another destination')
}
