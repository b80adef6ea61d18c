import type { EntryLocation } from '../cache/directory.ts'

/** What is known of a call when its program is loaded. */
export interface Beginning {
  /** Where the call may leave its memo. */
  readonly memo: EntryLocation
  /** The answer that is being written, where that failed or takes long. */
  readonly printing?: {
    readonly written: Promise<void>
    readonly clientTimeoutSec: number
    /** Tells operations of it, where they are to be told. */
    readonly spool?: (() => Promise<void>) | undefined
  }
}
