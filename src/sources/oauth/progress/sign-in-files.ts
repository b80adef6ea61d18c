import { createHash } from 'node:crypto'
import { join } from 'node:path'

/** The files of one sign-in, in the directory of cached tokens and by its rules: for this user alone, and never through a link. */
export interface SignInFiles {
  readonly directory: string
  /** Who holds it signs in. */
  readonly lock: string
  /** Who holds it starts the process that signs in. */
  readonly start: string
  /** What the process that signs in tells the runs that wait. */
  readonly note: string
  /** The note while it is being written. */
  readonly draft: string
  /** Touched by the runs that wait. */
  readonly waiting: string
}

/** The files of the sign-in with this id. */
export function locateSignInFiles(directory: string, id: string): SignInFiles {
  const key = createHash('sha256').update(id).digest('hex').slice(0, 40)
  const at = (name: string) => join(directory, name)
  return {
    directory,
    lock: at(`sign-in-${key}.lock`),
    start: at(`sign-in-start-${key}.lock`),
    note: at(`sign-in-${key}.signin`),
    draft: at(`sign-in-${key}.tmp`),
    waiting: at(`sign-in-${key}.waiting`),
  }
}
