import type { Deadline } from '../../deadline.ts'
import type { CallOutcome } from '../call-outcome.ts'
import { outcomeFields } from '../outcome-fields.ts'
import { type EventLevel, eventFacts, type LogEvent } from './log-event.ts'
import { logName } from './log-name.ts'
import { runLogger } from './run-logger.ts'

/** The numbers of syslog. Information is a notice, because what is less is not kept everywhere. */
const priorities: Readonly<Record<EventLevel, number>> = { error: 3, warning: 4, information: 5 }

/**
 * An event as an entry of the systemd journal: a field in each line, in the form that `logger --journald` reads. No value has a
 * line break, because each is a number or a word of a closed set.
 */
export function renderJournalEntry({ kind, text, outcome }: LogEvent): string {
  const { level, messageId } = eventFacts[kind]
  const fields = [
    ['MESSAGE', text],
    ['PRIORITY', priorities[level]],
    ['SYSLOG_IDENTIFIER', logName],
    ['MESSAGE_ID', messageId],
    ...(outcome === undefined ? [] : listFields(outcome)),
  ]
  return fields.map(([name, value]) => `${name}=${value}\n`).join('')
}

function listFields(outcome: CallOutcome): [string, string | number][] {
  return Object.entries(outcomeFields).flatMap(([member, { journalField }]): [string, string | number][] => {
    const value = outcome[member as keyof CallOutcome] // the table has a row for each
    return value === undefined ? [] : [[journalField, value]]
  })
}

/** Writes events to the journal: one run of `logger` each, which is what it can do. */
export async function writeToJournal(logger: string, events: readonly LogEvent[], within: Deadline): Promise<void> {
  for (const event of events)
    await runLogger({ program: logger, args: ['--journald'], input: renderJournalEntry(event) }, within)
}
