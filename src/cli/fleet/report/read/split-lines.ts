import { longestRecord, type RawRecord, type RecordSplitter } from './raw-record.ts'

/** Every line is a record; empty ones are passed over. */
export function createLineSplitter(): RecordSplitter {
  let rest = ''
  let line = 1
  let isTooLong = false
  const toRecord = (text: string): RawRecord => ({
    line,
    text: isTooLong || text.length > longestRecord ? undefined : text,
  })
  const take = (piece: string): RawRecord[] => {
    const records: RawRecord[] = []
    const [first = '', ...others] = piece.split('\n')
    const lines = [rest + first, ...others]
    rest = lines.pop() ?? ''
    for (const text of lines) {
      if (isTooLong || text.trim() !== '') records.push(toRecord(text))
      isTooLong = false
      line += 1
    }
    if (rest.length > longestRecord) {
      rest = ''
      isTooLong = true
    }
    return records
  }
  return { take, end: () => take('\n') }
}
