import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import {
  computePauseMs,
  isTransient,
  isUnsent,
  parseRetryAfter,
} from '../../../../src/runtime/network/fetch/retry-policy.ts'

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
])('%#: whether another attempt may succeed', (outcome, helps) => {
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

test('Retry-After wins, in seconds or as a date', () => {
  expect(computePauseMs(answer(429, { 'retry-after': '7' }), 1)).toBe(7000)
  expect(parseRetryAfter(new Date(Date.now() + 60_000).toUTCString())).toBeGreaterThan(58_000)
  expect(parseRetryAfter(new Date(0).toUTCString())).toBe(0)
  expect(['120', 'soon', '5x', 'x5', null].map(parseRetryAfter)).toEqual([120_000, ...Array(4).fill(undefined)])
  const pauses = Array.from({ length: 50 }, () => computePauseMs(answer(503), 2))
  expect(Math.max(...pauses)).toBeLessThan(800)
  expect(new Set(pauses).size).toBeGreaterThan(40)
})
