import { toOneLine } from '../../runtime/failure.ts'
import { escapeControls } from '../../runtime/text/escape.ts'

/** One entry of the log, before it is rendered. It contains no token, and no digest of one. */
export interface LogEntry {
  readonly level: 'info' | 'warning' | 'error'
  /** The name of the event, for programs that read the log. */
  readonly event: string
  /** The event in words, for a person. */
  readonly message: string
  readonly facts?: Readonly<Record<string, string | number | undefined>>
}

/** Lines for a terminal, or JSON for a log collector. */
export type LogFormat = 'text' | 'json'

/** Writes entries, and limits those that strangers can cause. */
export interface Log {
  /** Writes an entry of a rare event, such as a change of state. */
  tell(entry: LogEntry): void
  /**
   * Writes an entry of an event that anybody can cause. Beyond {@link linesPerSec} lines of one event, only their number is written. Each
   * event has its own limit, so that a flood of refusals hides no accepted caller.
   */
  tellBounded(entry: LogEntry): void
  close(): void
}

/** Opens a log that bounds the lines of each event that anybody can cause. @param write Receives whole lines. */
export function openBoundedLog(parts: {
  readonly format: LogFormat
  readonly now: () => number
  readonly write: (line: string) => void
  /** The first facts of every entry, such as the tenant. */
  readonly facts?: LogEntry['facts']
}): Log {
  const { format, now, write, facts } = parts
  const tell = (entry: LogEntry) =>
    write(renderLogEntry({ ...entry, facts: { ...facts, ...entry.facts } }, format, now()))
  /** The lines of this second by event. Callers cannot choose the name of an event. */
  const counts = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  const startSecond = () => {
    timer = undefined
    for (const [of, count] of counts) {
      const omitted = count - linesPerSec
      const message = `${omitted} lines of the event "${of}" were left out`
      if (omitted > 0) tell({ level: 'warning', event: 'omitted', message, facts: { of, omitted } })
    }
    counts.clear()
  }
  return {
    tell,
    tellBounded(entry) {
      timer ??= setTimeout(startSecond, 1000).unref()
      const count = (counts.get(entry.event) ?? 0) + 1
      counts.set(entry.event, count)
      if (count <= linesPerSec) tell(entry)
    },
    close() {
      clearTimeout(timer)
      startSecond()
    },
  }
}

/** Renders an entry as one line with its end. @param at Epoch milliseconds. */
function renderLogEntry({ level, event, message, facts }: Required<LogEntry>, format: LogFormat, at: number): string {
  const time = new Date(at).toISOString()
  if (format === 'json') return `${escapeControls(JSON.stringify({ time, level, event, message, ...facts }))}\n`
  const pairs = Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`))
  return `${toOneLine([time, level, `${event}:`, message, ...pairs].join(' '))}\n`
}

/** The most lines a second of an event that anybody can cause. */
const linesPerSec = 20

/** Describes a file that is in force: since the start, since it changed, or again after one that was refused. */
export function describeInForce(what: string, since: 'loaded' | 'replaced' | 'recovered'): string {
  const words = { loaded: 'is in force', replaced: 'has changed and is in force', recovered: 'is in force again' }
  return `${what} ${words[since]}`
}
