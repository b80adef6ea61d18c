/** A record as it is in the file; the reader that counts it parses it. */
export interface RawRecord {
  /** The line of the file at which it begins, from 1. */
  readonly line: number
  /** `undefined` for a record that is longer than {@link longestRecord}, or incomplete. */
  readonly text: string | undefined
}

/**
 * Iterates over the records of a text that arrives in pieces, in groups that a piece completes. A tag at the beginning distinguishes XML
 * from lines, which may begin with a syslog priority such as `<13>`.
 */
export async function* iterateRecords(pieces: AsyncIterable<string>): AsyncGenerator<RawRecord[]> {
  let head = ''
  let splitter: ReturnType<typeof createLineSplitter> | undefined
  for await (const piece of pieces) {
    head = splitter ? piece : head + piece
    if (!splitter && head.length <= longestRecord && /^\s*<?$/.test(head)) continue
    splitter ??= /^\s*<[a-z!?]/i.test(head) ? createEventSplitter() : createLineSplitter()
    yield splitter.take(head)
  }
  if (splitter) yield splitter.end()
}

/** The most characters of a record. Ours have about a thousand; a file without line breaks must not fill the memory. */
const longestRecord = 1024 * 1024

/** Splits a text that arrives in pieces into records. */
interface RecordSplitter {
  /** Returns the records that this piece completes. */
  take(piece: string): RawRecord[]
  /** Returns the remaining records at the end of the text. */
  end(): RawRecord[]
}

const eventStart = /<Event[\s>]/

const eventEnd = '</Event>'

/** Finds `Event` elements: one after the other, as `wevtutil` prints them, or inside `Events`. */
function createEventSplitter(): RecordSplitter {
  let pending = ''
  let line = 1
  /** Whether the beginning of the present event was dropped. */
  let isTooLong = false
  const removeUntil = (at: number) => {
    line += countLines(pending.slice(0, at))
    pending = pending.slice(at)
  }
  const findNext = (): RawRecord | undefined => {
    const begin = isTooLong ? 0 : pending.search(eventStart)
    const end = begin < 0 ? -1 : pending.indexOf(eventEnd, begin)
    if (end < 0) return undefined
    removeUntil(begin)
    const text = isTooLong ? undefined : pending.slice(0, end - begin + eventEnd.length)
    const record = { line, text }
    removeUntil(end - begin + eventEnd.length)
    isTooLong = false
    return record
  }
  const take = (piece: string): RawRecord[] => {
    pending += piece
    const records: RawRecord[] = []
    for (let next = findNext(); next; next = findNext()) records.push(next)
    if (pending.length > longestRecord) {
      isTooLong ||= eventStart.test(pending)
      removeUntil(pending.length - eventEnd.length) // the rest may begin an end tag
    }
    return records
  }
  return { take, end: () => (isTooLong || eventStart.test(pending) ? [{ line, text: undefined }] : []) }
}

function countLines(text: string): number {
  return text.split('\n').length - 1
}

/** Returns every line as a record, except empty ones. */
function createLineSplitter(): RecordSplitter {
  let pending = ''
  let line = 1
  let isTooLong = false
  const toRecord = (text: string): RawRecord => ({
    line,
    text: isTooLong || text.length > longestRecord ? undefined : text,
  })
  const take = (piece: string): RawRecord[] => {
    const records: RawRecord[] = []
    const [first = '', ...others] = piece.split('\n')
    const lines = [pending + first, ...others]
    pending = lines.pop() ?? ''
    for (const text of lines) {
      if (isTooLong || text.trim() !== '') records.push(toRecord(text))
      isTooLong = false
      line += 1
    }
    if (pending.length > longestRecord) {
      pending = ''
      isTooLong = true
    }
    return records
  }
  return { take, end: () => take('\n') }
}
