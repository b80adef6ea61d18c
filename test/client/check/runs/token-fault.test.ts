import { expect, test } from 'vitest'
import { detectTokenFault } from '../../../../src/client/check/runs/parse-run-output.ts'

test.each<[token: string, fault: ReturnType<typeof detectTokenFault>]>([
  ['null', 'no-value'],
  ['undefined', 'no-value'],
  ['None', 'no-value'],
  ['[object Object]', 'no-value'],
  ['"sk-vendor-1"', 'json'],
  ['["sk-vendor-1"]', 'json'],
  ['42', 'json'],
  ['-1.5', 'json'],
  ['<!doctype html>', 'markup'],
  ['<html><body>Sign in</body></html>', 'markup'],
  ['Bearer sk-vendor-1', 'scheme'],
  ['bearer', 'scheme'],
  ['Authorization: Bearer sk-vendor-1', 'scheme'],
  ['Error: not signed in', 'sentence'],
  ['sk\u2013vendor-1', 'unsendable'],
  ['sk-vendor-1\u0007', 'unsendable'],
  ['sk-vendor-1', undefined],
  ['nullable', undefined],
  ['bearer-of-news', undefined],
  ['0a1b2c3d4e5f', undefined],
  ['eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln', undefined],
])('the token %j has the fault: %s', (token, fault) => {
  expect(detectTokenFault(token)).toBe(fault)
})
