import { exitStatus } from '../../runtime/failure.ts'

/** What each exit status means, the same in every helper and every command; docs/exit-status.md says what to do. */
export const statusMeanings: readonly (readonly [status: number, meaning: string])[] = [
  [0, 'done; the answer, or the token, is on stdout'],
  [1, 'done, and the answer is no: errors, a difference, a failed rule, a lost turn'],
  [exitStatus.usage, 'the command line, a variable or a document cannot be used, or nobody could be asked'],
  [exitStatus['not-configured'], 'something that it needs is missing or malformed'],
  [exitStatus['sign-in-required'], 'a person has to sign in first'],
  [exitStatus.refused, 'refused: by a server, by the system, or by you when you were asked'],
  [exitStatus.unavailable, 'a server cannot be reached, or fails'],
  [exitStatus.late, 'no token before the client stops waiting'],
  [exitStatus.bug, 'a defect of this program'],
  [130, 'interrupted'],
]

/** The statuses of helpers only, or all. */
export function listStatuses(whose: 'helpers' | 'commands'): (typeof statusMeanings)[number][] {
  const ofHelpers: readonly number[] = [0, ...Object.values(exitStatus)]
  return statusMeanings.filter(([status]) => whose === 'commands' || ofHelpers.includes(status))
}

/** Rows of a help text, one for each status. */
export function renderStatuses(whose: 'helpers' | 'commands'): string {
  return listStatuses(whose)
    .map(([status, meaning]) => `  ${String(status).padEnd(3)}  ${meaning}\n`)
    .join('')
}
