import { expect, test } from 'vitest'
import { describeSkew, toClockOffset } from '../../src/sources/clock-offset.ts'

/** The middle of a second; the header `date` has only whole seconds. */
const sentAt = Date.UTC(2026, 0, 15, 12) + 500
const after = (ms: number) => new Date(sentAt + ms).toUTCString()

test.each([
  ['the same second', { date: after(0) }, 100, 0],
  ['any moment on the way', { date: after(7_000) }, 9_000, 0],
  ['a second that cannot have been there yet', { date: after(10_000) }, 9_000, 10_499],
  ['ten minutes later', { date: after(600_000) }, 100, 600_499],
  ['ten minutes earlier', { date: after(-600_000) }, 100, -599_501],
  ['ten minutes earlier, from a cache', { date: after(-600_000), age: '600' }, 100, 0],
  ['nothing', {}, 100, 0],
  ['no date', { date: 'tomorrow' }, 100, 0],
])('the clock offset follows from an answer with %s', (_, headers: Record<string, string>, tookMs, offsetMs) => {
  expect(toClockOffset(new Headers(headers), { sentAt, receivedAt: sentAt + tookMs })).toBe(offsetMs)
})

test.each([
  [120_000, undefined],
  [-120_000, undefined],
  [120_001, "this machine's clock is 2 min behind AWS's"],
  [-600_000, "this machine's clock is 10 min ahead of AWS's"],
])('clocks that are %s ms apart agree, or differ', (offsetMs, words) => {
  expect(describeSkew(offsetMs, "AWS's")).toBe(words)
})
