import { expect, test } from 'vitest'
import { createTokenLedger } from '../../../src/gateway/inference/token-ledger.ts'

test('a token is good from the moment it was entered until its life is over, in the time of the ledger', () => {
  let now = 1000
  const { admit, verify } = createTokenLedger(() => now)
  expect(verify('a')).toEqual({ ok: false, reason: 'unknown' })
  expect([admit('a', 60), admit('endless', undefined)]).toEqual(['new', 'new'])
  now += 59_999
  expect([verify('a'), admit('a', 60)]).toEqual([{ ok: true }, 'known'])
  now += 1
  expect([verify('a'), admit('a', 60)]).toEqual([{ ok: false, reason: 'expired' }, 'ended'])
  now += 1e12
  expect(verify('endless')).toEqual({ ok: true })
})

test('a token that is dead when it is entered is never good', () => {
  const { admit, verify } = createTokenLedger(() => 5)
  expect([admit('a', 0), verify('a')]).toEqual(['new', { ok: false, reason: 'expired' }])
})

test('a revoked token stays so, and one that was made anew is good although it reads the same', () => {
  const { admit, verify, revokeAll } = createTokenLedger(() => 5)
  admit('a', 60)
  revokeAll()
  expect([verify('a'), admit('a', 60)]).toEqual([{ ok: false, reason: 'revoked' }, 'ended'])
  expect([admit('a', 60, 'fresh'), verify('a')]).toEqual(['new', { ok: true }])
})
