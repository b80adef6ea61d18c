import { expect, test } from 'vitest'
import { parseDuration, renderDuration } from '../../../src/runtime/values/duration.ts'

test.each<[text: string, seconds: number | undefined]>([
  ['45s', 45],
  ['5m', 300],
  ['8h', 28_800],
  ['2d', 172_800],
  ['1h30m', 5400],
  ['1d2h3m4s', 93_784],
  ['', undefined],
  ['0s', undefined],
  ['5', undefined],
  ['5 m', undefined],
  ['5min', undefined],
  ['30m1h', undefined],
  ['-5m', undefined],
  ['1.5h', undefined],
  ['99999999s', undefined],
])('%j is %s', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds)
})

test.each<[seconds: number, text: string]>([
  [0, '0 s'],
  [59, '59 s'],
  [60, '1 min'],
  [3599, '59 min'],
  [3600, '1 h 0 min'],
  [90_125, '25 h 2 min'],
])('%s s are %j', (seconds, text) => {
  expect(renderDuration(seconds)).toBe(text)
})
