import { expect, test } from 'vitest'
import { createTokenLedger } from '../../src/gateway/token-ledger.ts'

test('a token is valid from its registration until it expires, by the clock of the ledger', () => {
  let now = 1000
  const { register, verify } = createTokenLedger(() => now)
  expect(verify('a')).toEqual({ ok: false, reason: 'unknown' })
  expect([register('a', 60), register('endless', undefined)]).toEqual(['new', 'new'])
  now += 59_999
  expect([verify('a'), register('a', 60)]).toEqual([{ ok: true }, 'known'])
  now += 1
  expect([verify('a'), register('a', 60)]).toEqual([{ ok: false, reason: 'expired' }, 'ended'])
  now += 1e12
  expect(verify('endless')).toEqual({ ok: true })
})

test('a token without a life is never valid', () => {
  const { register, verify } = createTokenLedger(() => 5)
  expect([register('a', 0), verify('a')]).toEqual(['new', { ok: false, reason: 'expired' }])
})

test('a revoked token stays revoked, and one that is minted again with the same text is valid', () => {
  const { register, verify, revokeAll } = createTokenLedger(() => 5)
  register('a', 60)
  revokeAll()
  expect([verify('a'), register('a', 60)]).toEqual([{ ok: false, reason: 'revoked' }, 'ended'])
  expect([register('a', 60, 'fresh'), verify('a')]).toEqual(['new', { ok: true }])
})
