import { expect, test } from 'vitest'
import { renderKnownMs, renderShare } from '../../../src/fleet/report/report-words.ts'

test.each([
  [0, 10, '0 %'],
  [0, 0, '0 %'],
  [1, 100_000, '<0.01 %'],
  [1, 200, '0.50 %'],
  [1, 3, '33.3 %'],
  [9_996, 10_000, '99.96 %'],
  [99_999, 100_000, '>99.99 %'],
  [10, 10, '100.0 %'],
])('%i of %i are %s', (part, whole, share) => {
  expect(renderShare(part, whole)).toBe(share)
})

test.each([
  [undefined, '–'],
  [999, '999 ms'],
  [1_200, '1.2 s'],
  [58_000, '58 s'],
  [120_000, '2 min'],
])('%s milliseconds are %s', (ms, words) => {
  expect(renderKnownMs(ms)).toBe(words)
})
