import type { PackingProgress } from './run-in-parallel.ts'

/**
 * Shows progress: on a terminal one line that the next one replaces, with everything that is at work; elsewhere a line for each task that
 * ends.
 */
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

/** The place of the progress, and the time since the beginning. */
interface Shown {
  readonly isTerminal: boolean
  readonly columns: number
  readonly seconds: number
}

/** Removes the line of a terminal, so that other text can take its place. */
export const clearedLine = '\r\x1b[K'
