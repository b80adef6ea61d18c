import { parseCallCount } from '../../../../runtime/outcome/call-count.ts'
import type { LoggedCall, LogRecord, RecordOwner } from './logged-call.ts'
import { isMoment, isWord } from './to-logged-call.ts'

/** Whether a text may be a count of calls, which the logs of systems have; it costs less than to parse it. */
export function hasCallCount(text: string): boolean {
  return text.includes('"cached"') || text.includes('"lost"')
}

/** A count as the record of a log; `undefined` for any other text. */
export function parseCountRecord(text: string, owner: RecordOwner): LogRecord | undefined {
  const count = parseCallCount(text)
  if (count === undefined || !isMoment(count.time)) return undefined
  if ('lost' in count) return { kind: 'lost', time: count.time, count: count.lost, ...owner }
  const { time, helper, version, cached } = count
  if (!isWord(helper) || !isWord(version)) return undefined
  const call: LoggedCall = {
    ...({ time, helper, version, count: cached, ms: undefined, outcome: 'success', context: 'unknown' } as const),
    ...({ origin: 'cache', source: undefined, mintMs: undefined, late: undefined } as const),
  }
  return { kind: 'call', call, ...owner }
}
