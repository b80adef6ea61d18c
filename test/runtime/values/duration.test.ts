import { expect, test } from 'vitest'
import { parseDuration, renderDuration, renderMs } from '../../../src/runtime/values/duration.ts'

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
  [172_799, '47 h 59 min'],
  [172_800, '2 days'],
  [7_776_000, '90 days'],
])('%s s are %j', (seconds, text) => {
  expect(renderDuration(seconds)).toBe(text)
})

test.each<[ms: number, text: string]>([
  [0.4, '0 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [1_249, '1.2 s'],
  [20_400, '20 s'],
  [59_499, '59 s'],
  [59_500, '1 min'],
  [3_900_000, '1 h 5 min'],
])('%s ms are %j', (ms, text) => {
  expect(renderMs(ms)).toBe(text)
})
