import { expect, test } from 'vitest'
import { eventFacts, parseCallCount } from '../../../src/outcomes/destinations/log-event.ts'
import { toLogEvents } from '../../../src/outcomes/destinations/system-log-destination.ts'
import { parseOutcome } from '../../../src/outcomes/parse-outcome.ts'
import { exitStatus } from '../../../src/runtime/failure.ts'
import { mixedBatch } from '../../stand-ins/journal/mixed-batch.ts'

const { outcomes } = mixedBatch
const now = 1_790_000_060_000

test('each failure and each mint is an event, and cached calls are counted by helper and version', () => {
  const other = { ...outcomes[1]!, helper: 'oidc-token' }
  const upgraded = { ...outcomes[1]!, version: '1.2.4' }
  const events = toLogEvents({ ...mixedBatch, outcomes: [...outcomes, other, upgraded] }, now)
  expect(events.map(({ kind, text }) => [kind, parseOutcome(text) ?? parseCallCount(text)])).toEqual([
    ['late', outcomes[0]],
    ['mint', outcomes[2]],
    ['not-configured', outcomes[4]],
    ['cached', { time: 1_790_000_010_000, helper: 'aws-bedrock-token', version: '1.2.3', cached: 2 }],
    ['cached', { time: 1_790_000_000_000, helper: 'oidc-token', version: '1.2.3', cached: 1 }],
    ['cached', { time: 1_790_000_000_000, helper: 'aws-bedrock-token', version: '1.2.4', cached: 1 }],
    ['lost', { time: now, lost: 2 }],
  ])
})

test('a kept token is an event of its own, and without a call there is no event', () => {
  const kept = { ...outcomes[1]!, origin: 'kept' as const }
  expect(toLogEvents({ outcomes: [kept], lost: 0, resource: {} }, now)).toEqual([
    { kind: 'kept', text: JSON.stringify(kept), outcome: kept },
  ])
  expect(toLogEvents({ outcomes: [], lost: 0, resource: {} }, now)).toEqual([])
})

const { mint, kept, cached, lost, ...failures } = eventFacts

test('a success has a number from 100 on', () => {
  expect([mint, kept, cached, lost].map(({ eventId }) => eventId)).toEqual([100, 101, 102, 103])
})

test('a failure has the number 200 and its exit status', () => {
  expect(Object.entries(failures).map(([kind, { eventId }]) => [kind, eventId])).toEqual(
    Object.entries(exitStatus).map(([kind, status]) => [kind, 200 + status]),
  )
})

test('every number has a text in EventCreate.exe', () => {
  expect(Object.values(eventFacts).filter(({ eventId }) => eventId < 1 || eventId > 1000)).toEqual([])
})

test('a message of the journal has an identifier of 128 bits, one for all failures and one for each other event', () => {
  const ids = new Set([mint, kept, cached, lost, ...Object.values(failures)].map(({ messageId }) => messageId))
  const others = [...ids].filter((id) => !/^[0-9a-f]{32}$/.test(id))
  expect({ identifiers: ids.size, others }).toEqual({ identifiers: 5, others: [] })
})

test.each([
  ['an outcome', '{"time":1,"helper":"a","version":"1.2.3","context":"interactive"}'],
  ['both counts', '{"time":1,"helper":"a","version":"1.2.3","cached":1,"lost":1}'],
  ['a count of nobody', '{"time":1,"cached":1}'],
  ['a number below zero', '{"time":1,"lost":-1}'],
  ['no time', '{"lost":1}'],
  ['no JSON', 'lost 1'],
])('%s is not a count of calls', (_, line) => {
  expect(parseCallCount(line)).toBeUndefined()
})
