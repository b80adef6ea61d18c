import { expect, test } from 'vitest'
import { nameMoments } from '../../../src/client/page/render-columns.ts'
import { renderFarAway } from '../../../src/fleet/report/report-sentences.ts'
import { failureOf, nine, outcomeOf, summarize } from '../report/sample-logs.ts'

const minute = 60_000

test('the summary counts the machines of each cause, and those that have half of it', () => {
  const fails = (machine: string, count: number) =>
    Array.from({ length: count }, (_, index) => [machine, failureOf({ time: nine + index })] as const)
  const { causes, machines } = summarize([
    ...fails('a', 6),
    ...fails('b', 3),
    ...fails('c', 3),
    ['c', outcomeOf({ time: nine + minute })],
    ['d', failureOf({ outcome: 'late', status: 7 })],
  ])
  expect(
    causes.map(({ cause, calls, machines: on, halfOn, stillFailing }) => ({ cause, calls, on, halfOn, stillFailing })),
  ).toEqual([
    { cause: 'unavailable', calls: 12, on: 3, halfOn: 1, stillFailing: 2 },
    { cause: 'late', calls: 1, on: 1, halfOn: 1, stillFailing: 1 },
  ])
  expect(machines).toEqual({ all: 4, failed: 4, stillFailing: 3 })
})

test('a machine is failing while one of its helpers is, for the cause of its last failure', () => {
  const at = (minutes: number) => ({ time: nine + minutes * minute })
  const { causes, failing, machines } = summarize([
    ['a', outcomeOf(at(0))],
    ['a', failureOf({ ...at(1), helper: 'oidc-token' })],
    ['a', failureOf({ ...at(2), helper: 'oidc-token', outcome: 'sign-in-required', status: 4 })],
    ['a', outcomeOf(at(3))],
    ['b', outcomeOf(at(3))],
    ['b', failureOf(at(2))],
  ])
  expect({
    causes: causes.map(({ cause, machines: on, stillFailing }) => ({ cause, on, stillFailing })),
    failing,
    machines,
  }).toEqual({
    causes: [
      { cause: 'unavailable', on: 2, stillFailing: 0 },
      { cause: 'sign-in-required', on: 1, stillFailing: 1 },
    ],
    failing: [
      {
        machine: 'a',
        stillFailing: ['oidc-token'],
        lastSuccessAt: undefined,
        lastFailureAt: nine + 2 * minute,
        version: '0.2.0',
        calls: 4,
        failed: 2,
        failures: { unavailable: 1, 'sign-in-required': 1 },
      },
      {
        machine: 'b',
        stillFailing: [],
        lastSuccessAt: nine + 3 * minute,
        lastFailureAt: nine + 2 * minute,
        version: '0.2.0',
        calls: 2,
        failed: 1,
        failures: { unavailable: 1 },
      },
    ],
    machines: { all: 2, failed: 2, stillFailing: 1 },
  })
})

test('more helpers of a machine than are told apart are counted together', () => {
  const { failing } = summarize(
    Array.from({ length: 100 }, (_, index) => ['a', failureOf({ helper: `helper-${index}` })] as const),
  )
  const names = failing[0]?.stillFailing ?? []
  expect([new Set(names).size, names.at(-1)]).toEqual([21, 'others'])
})

test('a kept token that was served because a server was slow counts as late, not as a failure', () => {
  const { late, failed } = summarize([
    ['a', outcomeOf({ origin: 'kept', late: 'network', ms: 18_000 })],
    ['b', failureOf({ outcome: 'late', status: 7 })],
  ])
  expect({ late: late.map(({ stage, calls, machines, p50 }) => ({ stage, calls, machines, p50 })), failed }).toEqual({
    late: [
      { stage: 'network', calls: 1, machines: 1, p50: 18_000 },
      { stage: 'unknown', calls: 1, machines: 1, p50: 900 },
    ],
    failed: 1,
  })
})

test('a machine counts under the version of its latest call, in whatever order its calls are read', () => {
  const { versions, behind } = summarize([
    ['a', outcomeOf({ time: nine + 2, version: '0.10.0' })],
    ['a', outcomeOf({ time: nine, version: '0.9.0' })],
    ['b', outcomeOf({ time: nine + 1, version: '0.9.0' })],
    ['c', outcomeOf({ version: '0.10.0' })],
  ])
  expect({ versions, behind }).toEqual({
    versions: [
      { version: '0.10.0', machines: 2, calls: 2 },
      { version: '0.9.0', machines: 1, calls: 2 },
    ],
    behind: [{ machine: 'b', version: '0.9.0', seenAt: nine + 1 }],
  })
})

test('versions are sorted by their numbers, the newest first, with a beta after its release', () => {
  const given = ['1.0.0', '0.9.0', '1.0.0-beta.2', '0.10.0', '1.0.0-beta.10']
  const { versions } = summarize(given.map((version, index) => [`pc-${index}`, outcomeOf({ version })]))
  expect(versions.map(({ version }) => version)).toEqual(['1.0.0', '1.0.0-beta.10', '1.0.0-beta.2', '0.10.0', '0.9.0'])
})

test.each([
  ['one machine of thirty has it', 1, 29, '0.2.0', 0],
  ['one machine of two has it', 1, 1, '0.2.0', 0],
  ['one machine of one has it', 1, 0, '0.9.0', 0],
  ['a tenth of them has it', 3, 27, '0.9.0', 27],
  ['all of them have it', 3, 0, '0.9.0', 0],
])('a newer version leaves the other machines behind where %s', (_what, newer, older, currentVersion, behind) => {
  const machines = [...Array.from({ length: newer }, () => '0.9.0'), ...Array.from({ length: older }, () => '0.2.0')]
  const summary = summarize(machines.map((version, index) => [`pc-${index}`, outcomeOf({ version })]))
  expect({ currentVersion: summary.currentVersion, behind: summary.behind.length }).toEqual({ currentVersion, behind })
})

test.each([12, 120, 600])('a call of 1970 among %i calls is not drawn', (count) => {
  const { moments } = summarize([
    ...Array.from({ length: count - 1 }, (_, index) => ['a', outcomeOf({ time: nine + index * minute })] as const),
    ['b', outcomeOf({ time: 0 })],
  ])
  expect({ farAway: moments.farAway, first: moments.columns[0]?.at }).toEqual({ farAway: 1, first: nine })
})

test('a clock of 2038 makes the period no longer than what is drawn', () => {
  const { moments, period } = summarize([
    ...Array.from({ length: 600 }, (_, index) => ['a', outcomeOf({ time: nine + index * minute })] as const),
    ['b', failureOf({ time: Date.parse('2038-01-19T03:14:07Z') })],
  ])
  expect({ period, farAway: renderFarAway(moments) }).toEqual({
    period: { from: nine, to: nine + 600 * minute },
    farAway: '1 call far from this time, perhaps because a clock is wrong',
  })
})

test('a clock of 1970 does not make every column a year', () => {
  const day = Array.from({ length: 600 }, (_, index) => ['a', outcomeOf({ time: nine + index * minute })] as const)
  const { moments, period } = summarize([...day, ['b', outcomeOf({ time: 0 })]])
  expect({
    ...moments,
    columns: moments.columns.length,
    calls: moments.columns.reduce((sum, { calls }) => sum + calls, 0),
    period,
  }).toEqual({
    stepMs: 5 * minute,
    columns: 120,
    calls: 600,
    farAway: 1,
    period: { from: nine, to: nine + 599 * minute },
  })
})

test.each([
  ['the year 9999', 253_402_300_799_999, 100],
  ['2200', 7_258_118_400_000, 10],
])('two clocks that say 1970 and %s take as many columns as a page has', (_what, time, years) => {
  const { moments } = summarize([
    ['a', outcomeOf({ time: 0 })],
    ['b', outcomeOf({ time })],
  ])
  const names = nameMoments(moments.columns.map(({ at }) => at)).filter(Boolean)
  expect({ stepMs: moments.stepMs, areFew: [moments.columns.length <= 150, names.length <= 13] }).toEqual({
    stepMs: years * 524_160 * minute,
    areFew: [true, true],
  })
})

test('versions are told apart up to a limit', () => {
  const { versions, behind } = summarize(
    Array.from({ length: 900 }, (_, index) => [
      'a',
      outcomeOf({ time: nine + index * minute, version: `0.1.${index % 450}` }),
    ]),
  )
  expect({
    areFew: versions.length <= 202,
    last: versions.at(-1)?.version,
    calls: versions.reduce((sum, { calls }) => sum + calls, 0),
    behind,
  }).toEqual({ areFew: true, last: 'others', calls: 900, behind: [] })
})

test('a version with the name of a member of objects is drawn as any other', () => {
  const { moments } = summarize([
    ['a', outcomeOf({ version: 'constructor' })],
    ['b', outcomeOf({ time: nine + minute })],
  ])
  expect(moments.columns.map(({ versions }) => versions.constructor)).toEqual([1, undefined])
})

test('years of calls are counted in longer steps without a loss', () => {
  const calls = Array.from(
    { length: 9000 },
    (_, index) =>
      [
        'a',
        index % 9 === 0
          ? failureOf({ time: nine + index * 180 * minute })
          : outcomeOf({ time: nine + index * 180 * minute }),
      ] as const,
  )
  const { moments } = summarize(calls)
  expect({
    stepMs: moments.stepMs,
    columns: moments.columns.length,
    calls: moments.columns.reduce((sum, { calls: count }) => sum + count, 0),
    failed: moments.columns.reduce((sum, { failed }) => sum + (failed.unavailable ?? 0), 0),
  }).toEqual({ stepMs: 40_320 * minute, columns: 41, calls: 9000, failed: 1000 })
})

test('the sums include calls of more machines than there is room for', () => {
  const { calls, failed, machines, input } = summarize(
    ['a', 'b', 'c', 'a', 'c'].map((machine) => [machine, failureOf()]),
    { most: 2 },
  )
  expect({ calls, failed, all: machines.all, unnamed: input.unnamed }).toEqual({
    calls: 5,
    failed: 5,
    all: 2,
    unnamed: 2,
  })
})
