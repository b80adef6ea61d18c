import { longestRecord, type RawRecord, type RecordSplitter } from './raw-record.ts'

const eventEnd = '</Event>'

/** Elements `Event`, wherever they stand: one after the other, as `wevtutil` prints them, or inside `Events`. */
export function createEventSplitter(): RecordSplitter {
  let rest = ''
  let line = 1
  /** Whether an event has begun of which the beginning was thrown away. */
  let isTooLong = false
  const dropUntil = (at: number) => {
    line += countLines(rest.slice(0, at))
    rest = rest.slice(at)
  }
  const findNext = (): RawRecord | undefined => {
    const begin = isTooLong ? 0 : rest.search(/<Event[\s>]/)
    const end = begin < 0 ? -1 : rest.indexOf(eventEnd, begin)
    if (end < 0) return undefined
    dropUntil(begin)
    const text = isTooLong ? undefined : rest.slice(0, end - begin + eventEnd.length)
    const record = { line, text }
    dropUntil(end - begin + eventEnd.length)
    isTooLong = false
    return record
  }
  const take = (piece: string): RawRecord[] => {
    rest += piece
    const records: RawRecord[] = []
    for (let next = findNext(); next; next = findNext()) records.push(next)
    if (rest.length > longestRecord) {
      isTooLong ||= /<Event[\s>]/.test(rest)
      dropUntil(rest.length - eventEnd.length) // which may be the beginning of an end
    }
    return records
  }
  return { take, end: () => (isTooLong || /<Event[\s>]/.test(rest) ? [{ line, text: undefined }] : []) }
}

function countLines(text: string): number {
  return text.split('\n').length - 1
}
