import type { PackingProgress } from './run-in-parallel.ts'

/** Shows progress: on a terminal one line with all running tasks, which the next one replaces; elsewhere a line for each finished task. */
export function renderProgress(
  { name, event, ended, of }: PackingProgress,
  working: readonly string[],
  shown: Shown,
): string {
  const time = `${Math.floor(shown.seconds / 60)}:${String(Math.floor(shown.seconds % 60)).padStart(2, '0')}`
  if (!shown.isTerminal) return event === 'ends' ? `release: ${ended} of ${of}, ${time}: ${name}\n` : ''
  const line = `${ended} of ${of}, ${time}: ${working.join(', ')}`
  return `\r\x1b[K${line.length < shown.columns ? line : `${line.slice(0, Math.max(0, shown.columns - 2))}…`}`
}

/** The position of the progress, and the time since the start. */
interface Shown {
  readonly isTerminal: boolean
  readonly columns: number
  readonly seconds: number
}

/** Removes the progress line of a terminal for other output. */
export const clearedLine = '\r\x1b[K'
