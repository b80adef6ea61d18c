import { expect, test } from 'vitest'
import { parseLogLine } from '../../../src/fleet/logs/parse-log-line.ts'
import {
  failureOf,
  nine,
  outcomeOf,
  readRecord,
  toJournal,
  toLogLine,
  toUnifiedLog,
  toWindowsEvent,
} from '../report/sample-logs.ts'

const cached = {
  time: nine,
  helper: 'aws-bedrock-token',
  version: '0.2.0',
  ms: 33,
  outcome: 'success',
  context: 'interactive',
  count: 1,
  origin: 'cache',
  source: undefined,
  mintMs: undefined,
  late: undefined,
}
const text = JSON.stringify(outcomeOf())

const own = { machine: undefined, unique: 'anywhere' }
const journal = { machine: 'pc-1', unique: 'anywhere' }
const bare = { machine: undefined, unique: 'on its machine' }

test.each([
  ['a bare outcome', text, { call: cached, ...bare }],
  [
    'an outcome of a later release',
    JSON.stringify({ ...outcomeOf({ context: 'new' as 'unknown' }), more: [1] }),
    { call: { ...cached, context: 'new' }, ...bare },
  ],
  ['a record of the journal', toJournal('pc-1', text, 'a'), { call: cached, ...journal }],
  ['a message with words before it', toJournal('pc-1', `call: ${text}\n`, 'a'), { call: cached, ...journal }],
  [
    'a message in bytes',
    toJournal('pc-1', [...Buffer.from(text)] as unknown as string, 'a'),
    { call: cached, ...journal },
  ],
  ['a record without a machine', toJournal('', text, 'a'), { call: cached, ...own }],
  ['a record of the unified log', toUnifiedLog(text, 1), { call: cached, ...own }],
  ['a line of a log file', toLogLine(outcomeOf()), { call: cached, ...own }],
  [
    'a line of a late call',
    toLogLine(failureOf({ outcome: 'late', status: 7, late: 'lock' })),
    { call: { ...cached, outcome: 'late', ms: 900, origin: undefined, late: 'lock' }, ...own },
  ],
  [
    'a line of a late call without a message',
    JSON.stringify({
      ...JSON.parse(toLogLine(failureOf({ outcome: 'late', status: 7 }))),
      failure: { kind: 'late', message: { toString: 1 } },
    }),
    { call: { ...cached, outcome: 'late', ms: 900, origin: undefined, late: undefined }, ...own },
  ],
  [
    'a line of a kept token',
    toLogLine(outcomeOf({ origin: 'kept', mintMs: 5 })),
    { call: { ...cached, origin: 'kept', mintMs: 5 }, ...own },
  ],
])('%s is a call', (_what, line, record) => {
  expect(parseLogLine(line)).toEqual({ kind: 'call', ...record })
})

test.each([
  ['a line that is not JSON', 'x', 'unreadable'],
  ['a number', '1', 'unreadable'],
  ['a list', '[]', 'unreadable'],
  ['another object', '{"a":1}', 'unreadable'],
  ['an outcome cut off', text.slice(0, -2), 'unreadable'],
  ['an unknown outcome', JSON.stringify({ ...outcomeOf(), outcome: 'lost' }), 'unreadable'],
  ['a helper that is no name', JSON.stringify(outcomeOf({ helper: '<script>' })), 'unreadable'],
  ['a time of no machine', JSON.stringify(outcomeOf({ time: 1e300 })), 'unreadable'],
  ['a duration below zero', JSON.stringify(outcomeOf({ ms: -1 })), 'unreadable'],
  ['a journal’s record of an outcome cut off', toJournal('a', text.slice(0, -2), 'a'), 'unreadable'],
  ['a journal’s record of something else', toJournal('a', '{"x":1}', 'a'), 'other'],
  ['a journal’s record of bytes that are none', '{"__CURSOR":"a","MESSAGE":[{"valueOf":1,"toString":1}]}', 'other'],
  ['a journal’s record that was too long', '{"__CURSOR":"a","MESSAGE":null}', 'other'],
  ['the end of the unified log', '{"count":3,"finished":1}', 'other'],
])('%s is not a record of Gatepass', (_what, line, kind) => {
  expect(parseLogLine(line)).toEqual({ kind })
})

const counted = '{"time":1772442000000,"helper":"aws-bedrock-token","version":"0.2.0","cached":27}'
const lost = '{"time":1772442000000,"lost":3}'
const countedCalls = { ...cached, count: 27, ms: undefined, context: 'unknown' }

test.each([
  ['of the journal', 'pc-1', parseLogLine(toJournal('pc-1', counted, 'a')), parseLogLine(toJournal('pc-1', lost, 'b'))],
  ['of the unified log', undefined, parseLogLine(toUnifiedLog(counted, 1)), parseLogLine(toUnifiedLog(lost, 2))],
  [
    'of Windows',
    'a',
    await readRecord(toWindowsEvent('a', counted, 1)),
    await readRecord(toWindowsEvent('a', lost, 2)),
  ],
])('a record %s counts calls from the cache, and lost ones', (_what, machine, callRecord, lostRecord) => {
  expect({ callRecord, lostRecord }).toEqual({
    callRecord: { kind: 'call', call: countedCalls, machine, unique: 'anywhere' },
    lostRecord: { kind: 'lost', time: nine, count: 3, machine, unique: 'anywhere' },
  })
})

test.each([
  ['of a helper that is no name', counted.replace('aws', '<b>')],
  ['of a time of no machine', counted.replace('1772442000000', '999999999999999')],
  ['with anything more', counted.replace('{', '{"more":1,')],
])('a count %s is a record of another program', (_what, line) => {
  expect(parseLogLine(toJournal('pc-1', line, 'a'))).toEqual({ kind: 'other' })
})

test('an event of Windows is a call of its computer, whatever is escaped in it', async () => {
  expect(await readRecord(toWindowsEvent('PC&#45;1&amp;', text, 1))).toEqual({
    kind: 'call',
    call: cached,
    machine: 'PC-1&',
    unique: 'anywhere',
  })
})

test('an event of Windows that holds no record is another one', async () => {
  expect(await readRecord('<Event><Data>{</Data><Data Name="a"/></Event>')).toEqual({ kind: 'other' })
})

test('an event of Windows with a record that is cut off is unreadable', async () => {
  expect(await readRecord(toWindowsEvent('a', text.slice(0, -2), 1))).toEqual({ kind: 'unreadable' })
})

test('endless tags are read in bounded time', async () => {
  const begin = performance.now()
  expect(await readRecord(`<Event>${'<Data '.repeat(150_000)}</Event>`)).toEqual({ kind: 'other' })
  expect(performance.now() - begin).toBeLessThan(20_000)
})
