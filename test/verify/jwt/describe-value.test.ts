import { expect, test } from 'vitest'
import { describeTime, describeValue } from '../../../src/verify/jwt/describe-value.ts'
import { claimChecks } from '../../../src/verify/jwt/jwt-checks.ts'

test.each<[unknown, string]>([
  ['a', '"a"'],
  ['', '""'],
  ['"\\', '"\\"\\\\"'],
  ['é\n\u{1f600}', '"\\u00e9\\n\\ud83d\\ude00"'],
  ['a'.repeat(100), `"${'a'.repeat(100)}"`],
  ['a'.repeat(101), `"${'a'.repeat(100)}"...`],
  [1.5, '1.5'],
  [true, 'true'],
  [null, 'null'],
  [undefined, 'undefined'],
  [[1], 'a list'],
  [{ a: 1 }, 'an object'],
])('%j is described as %s', (value, text) => {
  expect(describeValue(value)).toBe(text)
})

test('a moment is described to the second, also where a claim has a fraction', () => {
  expect(describeTime(1_768_478_400_500)).toBe('2026-01-15T12:00:00Z')
})

test.each([
  [['a', 'b', 'c'], 'it is for "a", "b", "c", and nothing says whether that is right'],
  [['a', 'b', 'c', 'd', 'e'], 'it is for "a", "b", "c" and 2 more, and nothing says whether that is right'],
])('at most three audiences are named: %j', (aud, note) => {
  const jwt = { signingInput: '', signature: Buffer.of(), header: {}, claims: { aud } }
  expect(claimChecks.audience({ jwt, trust: undefined, now: 0, clockSkewSec: 0 })).toEqual({ outcome: 'skipped', note })
})
