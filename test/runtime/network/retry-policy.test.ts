import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { findPauseMs, isTransient, isUnsent, parseRetryAfter } from '../../../src/runtime/network/retry-policy.ts'

const failed = (code: string | undefined) => ({
  error: new HelperError('unavailable', 'x', 'y', { cause: code === undefined ? undefined : { code } }),
})
const answer = (status: number, headers: Record<string, string> = {}) => ({
  response: new Response(null, { status, headers }),
})

test.each([
  [answer(200), false],
  [answer(302), false],
  [answer(400), false],
  [answer(401), false],
  [answer(408), true],
  [answer(429), true],
  [answer(500), true],
  [answer(529), true],
  [failed('ECONNRESET'), true],
  [failed('ECONNREFUSED'), true],
  [failed('ENOTFOUND'), true],
  [failed('CERT_HAS_EXPIRED'), false],
  [failed(undefined), false],
])('another attempt may succeed, or not, after the outcome %#', (outcome, helps) => {
  expect(isTransient(outcome)).toBe(helps)
})

test('a request that failed before it was sent is known as unsent', () => {
  expect(['ECONNREFUSED', 'EAI_AGAIN', 'ECONNRESET', 'ETIMEDOUT'].map((code) => isUnsent(failed(code).error))).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test('Retry-After is read in seconds or as a date', () => {
  const now = Date.UTC(2026, 7, 4)
  const texts = ['120', 'Tue, 04 Aug 2026 00:10:00 GMT', 'Mon, 03 Aug 2026 00:00:00 GMT', 'soon', '5x', 'x5', null]
  expect(texts.map((text) => parseRetryAfter(text, now))).toEqual([120_000, 600_000, 0, ...Array(4).fill(undefined)])
})

const waitFor = (longestMs: number, noted: number[] = []) => ({
  longestPauseMs: () => longestMs,
  noteAskedPause: (ms: number) => void noted.push(ms),
})
const pausesFor = (outcome: ReturnType<typeof answer>, longestMs: number) =>
  Array.from({ length: 200 }, () => findPauseMs(outcome, 1, waitFor(longestMs))!)

test.each([
  ['0', 400],
  ['1', 1000],
  ['7', 3500],
  ['60', 30_000],
])('many clients that are told Retry-After: %s come back no earlier, spread over %d ms', (said, spreadMs) => {
  const pauses = pausesFor(answer(429, { 'retry-after': said }), 3_600_000)
  const beyond = pauses.map((ms) => ms - Number(said) * 1000)
  const [first, last] = [Math.min(...beyond), Math.max(...beyond)]
  expect({ areWithin: first >= 0 && last < spreadMs, areSpread: last - first > spreadMs * 0.8 }).toEqual({
    areWithin: true,
    areSpread: true,
  })
})

test('pauses without Retry-After grow with each attempt, and differ', () => {
  const pauses = Array.from({ length: 50 }, () => findPauseMs(answer(503), 2, waitFor(60_000))!)
  expect(Math.max(...pauses)).toBeLessThan(800)
  expect(new Set(pauses).size).toBeGreaterThan(40)
})

test('a pause that leaves time for the attempt is kept, and a longer one is final', () => {
  const noted: number[] = []
  const wanted = answer(429, { 'retry-after': '7' })
  expect(Math.max(...pausesFor(wanted, 7_100))).toBeLessThan(7_050)
  const late = [
    findPauseMs(wanted, 1, waitFor(7_000, noted)),
    findPauseMs(answer(429, { 'retry-after': '0' }), 1, waitFor(0, noted)),
    findPauseMs(answer(503), 1, waitFor(0, noted)),
  ]
  expect({ late, noted }).toEqual({ late: [undefined, undefined, undefined], noted: [7_000, 0] })
})
