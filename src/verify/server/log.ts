import { escapeControls } from '../../runtime/escape-controls.ts'
import { toOneLine } from '../../runtime/failure.ts'

/** One line of the log, before it has a form. It holds no token, and no digest of one. */
export interface LogEntry {
  readonly level: 'info' | 'warning' | 'error'
  /** By which a program finds it. */
  readonly event: string
  /** For a person. */
  readonly message: string
  readonly facts?: Readonly<Record<string, string | number | undefined>>
}

/** Lines for a person at a terminal, or JSON for a collector. */
export type LogFormat = 'text' | 'json'

/** Writes entries. */
export interface Log {
  /** For what happens seldom, such as a change of state. */
  tell(entry: LogEntry): void
  /** For what anybody can cause: beyond {@link linesPerSec} only the number is written. */
  tellBounded(entry: LogEntry): void
  close(): void
}

/** How many lines a second anybody can cause. */
export const linesPerSec = 20

/** An entry as one line; pure. */
export function renderLogEntry({ level, event, message, facts = {} }: LogEntry, format: LogFormat, at: number): string {
  const time = new Date(at).toISOString()
  if (format === 'json') return `${escapeControls(JSON.stringify({ time, level, event, message, ...facts }))}\n`
  const pairs = Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`))
  return `${toOneLine([time, level, `${event}:`, message, ...pairs].join(' '))}\n`
}

/** @param write Receives whole lines. */
export function createLog(parts: {
  readonly format: LogFormat
  readonly now: () => number
  readonly write: (line: string) => void
}): Log {
  const { format, now, write } = parts
  const tell = (entry: LogEntry) => write(renderLogEntry(entry, format, now()))
  let left = linesPerSec
  let omitted = 0
  let timer: NodeJS.Timeout | undefined
  const startSecond = () => {
    timer = undefined
    if (omitted > 0)
      tell({ level: 'warning', event: 'omitted', message: `${omitted} lines were left out`, facts: { omitted } })
    left = linesPerSec
    omitted = 0
  }
  return {
    tell,
    tellBounded(entry) {
      timer ??= setTimeout(startSecond, 1000).unref()
      if (left === 0) {
        omitted += 1
        return
      }
      left -= 1
      tell(entry)
    },
    close() {
      clearTimeout(timer)
      startSecond()
    },
  }
}
