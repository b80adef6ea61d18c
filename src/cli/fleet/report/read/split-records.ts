import { longestRecord, type RawRecord } from './raw-record.ts'
import { createEventSplitter } from './split-events.ts'
import { createLineSplitter } from './split-lines.ts'

/** The records of a text that comes in pieces, as many at once as a piece completes. A first tag tells XML from lines, which may begin with the priority `<13>` of syslog. */
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
