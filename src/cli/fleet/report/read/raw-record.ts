/** A record before it is parsed. */
export interface RawRecord {
  /** The line of the file in which it begins, from 1. */
  readonly line: number
  /** `undefined` for one that is longer than {@link longestRecord}, or has no end. */
  readonly text: string | undefined
}

/** In characters. A record of ours has about a thousand; a file without line breaks must not fill the memory. */
export const longestRecord = 1024 * 1024

/** Cuts a text that comes in pieces. */
export interface RecordSplitter {
  /** The records that this piece completes. */
  take(piece: string): RawRecord[]
  /** What is left when the text has ended. */
  end(): RawRecord[]
}
