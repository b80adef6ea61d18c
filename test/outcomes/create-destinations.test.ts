import { expect, test } from 'vitest'
import type { CallOutcome } from '../../src/outcomes/call-outcome.ts'
import { createDestinations } from '../../src/outcomes/run-sender.ts'
import { testHost, testNow } from '../setup/test-host.ts'

const late: CallOutcome = {
  time: testNow,
  helper: 'badge',
  version: '1.2.3',
  context: 'unknown',
  format: 'json',
  outcome: 'late',
  status: 7,
  ms: 58_000,
  late: 'network',
}
const cached: CallOutcome = { ...late, outcome: 'success', status: 0, origin: 'cache', late: undefined }
const settings = { directory: '/cache', seconds: 10, version: '1.2.3', resource: [] }

test('a collector is given a batch whole, and the log of a system fifty events at once and the counted calls together', async () => {
  const outcomes = Array.from({ length: 240 }, (_, index) => (index % 2 === 0 ? late : cached))
  const batch = { outcomes, lost: 3, resource: {} }
  const all = createDestinations({ ...settings, endpoint: 'https://otel.example', systemLog: true }, await testHost())
  expect(
    all.map(({ name, split }) => [name, split?.(batch).map(({ outcomes: { length }, lost }) => [length, lost])]),
  ).toEqual([
    ['otlp', undefined],
    [
      'log',
      [
        [50, 0],
        [50, 0],
        [20, 0],
        [120, 3],
      ],
    ],
  ])
})

test('nothing is sent where no setting names a destination', async () => {
  expect(createDestinations({ ...settings, systemLog: false }, await testHost())).toEqual([])
})
