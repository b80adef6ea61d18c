import type { Deadline } from '../../deadline.ts'
import { type EventLevel, eventFacts, type LogEvent } from './log-event.ts'
import { logName } from './log-name.ts'
import { runLogger } from './run-logger.ts'

/** Of syslog. Information is a notice, because macOS keeps less than that in memory only. */
const severities: Readonly<Record<EventLevel, string>> = { error: 'err', warning: 'warning', information: 'notice' }

/** Writes events to syslog, which is the unified log on macOS: a line each, and one run of `logger` for each severity. */
export async function writeToSyslog(logger: string, events: readonly LogEvent[], within: Deadline): Promise<void> {
  for (const [level, alike] of Map.groupBy(events, ({ kind }) => eventFacts[kind].level)) {
    const args = ['-t', logName, '-p', `user.${severities[level]}`]
    await runLogger({ program: logger, args, input: alike.map(({ text }) => `${text}\n`).join('') }, within)
  }
}
