import { describe, expect, test } from 'vitest'
import { RateTable } from '../../src/verify/request-limits.ts'

const rate = { requests: 60, everySec: 60, burst: 3 }

/** Takes one request at each time. */
function takeAt(table: RateTable, times: readonly number[], key = 'dana'): number[] {
  return times.map((time) => table.take(key, rate, time))
}

test('a burst passes at once, and then requests at the given rate', () => {
  expect(takeAt(new RateTable(10), [0, 0, 0, 0, 999, 1_000, 1_000, 3_500, 3_500, 3_500])).toEqual([
    ...[0, 0, 0, 1_000, 1, 0, 1_000, 0, 0, 500],
  ])
})

test('after a long pause no more passes than a burst', () => {
  expect(takeAt(new RateTable(10), [0, 1e9, 1e9, 1e9, 1e9])).toEqual([0, 0, 0, 0, 1_000])
})

test('a refused request takes nothing from the bucket', () => {
  const table = new RateTable(10)
  takeAt(table, [0, 0, 0, ...Array<number>(1_000).fill(500)])
  expect({ asked: table.computeWait('dana', rate, 1_000), taken: takeAt(table, [1_000, 1_000]) }).toEqual({
    asked: 0,
    taken: [0, 1_000],
  })
})

test('fractions of a millisecond add up', () => {
  const often = { requests: 3, everySec: 1, burst: 3 }
  const table = new RateTable(10)
  const seconds = Array.from({ length: 1_000 }, (_, second) => 1_800_000_000_000 + second * 1_000)
  const passed = seconds.flatMap((at) => [at, at, at, at]).filter((at) => table.take('dana', often, at) === 0)
  expect(passed.length).toBe(3_000)
})

test('one key takes nothing from another', () => {
  const table = new RateTable(10)
  takeAt(table, [0, 0, 0, 0, 0])
  expect([takeAt(table, [0], 'eve'), takeAt(table, [0])]).toEqual([[0], [1_000]])
})

describe('the table', () => {
  test('is bounded, and keeps the keys that were used last', () => {
    const table = new RateTable(100)
    for (let at = 0; at < 10_000; at += 1) {
      table.take(`stranger ${at}`, rate, at / 1_000)
      if (at % 25 === 0) takeAt(table, [at / 1_000])
    }
    expect({ isBounded: table.size <= 100, dana: takeAt(table, [10])[0]! > 0 }).toEqual({ isBounded: true, dana: true })
  })

  test('counts each key once', () => {
    const table = new RateTable(4)
    for (const key of ['a', 'b', 'a', 'b', 'c']) table.take(key, rate, 0)
    expect(table.size).toBe(3)
  })
})

test('a use by other processes counts for a bounded time', () => {
  const table = new RateTable(10)
  table.learn('dana', 2_000, 0)
  const one = takeAt(table, [0, 0])
  table.learn('dana', 1e9, 0)
  expect({ one, owed: table.computeWait('dana', rate, 0) }).toEqual({ one: [0, 1_000], owed: 4_000 })
})

test('neither a clock that is set back nor a smaller rate keeps anybody waiting for longer than a bucket owes', () => {
  const table = new RateTable(10)
  takeAt(table, [1e9, 1e9, 1e9])
  const smaller = { requests: 1, everySec: 1, burst: 1 }
  expect({
    setBack: table.computeWait('dana', rate, 0),
    smaller: table.computeWait('dana', smaller, 1e9),
  }).toEqual({ setBack: 4_000, smaller: 2_000 })
})
