import { expect, test } from 'vitest'
import { createTokenLedger } from '../../src/gateway/token-ledger.ts'

test('a token is valid from its registration until it expires, by the clock of the ledger', () => {
  let now = 1000
  const { register, verify } = createTokenLedger(() => now)
  const lookAfter = (milliseconds: number) => {
    now += milliseconds
    return [verify('a'), register('a', 60)]
  }
  const first = [...lookAfter(0), register('endless', undefined)]
  const [beforeItsEnd, atItsEnd] = [lookAfter(59_999), lookAfter(1)]
  now += 1e12
  expect({ first, beforeItsEnd, atItsEnd, endless: verify('endless') }).toEqual({
    first: [{ ok: false, reason: 'unknown' }, 'new', 'new'],
    beforeItsEnd: [{ ok: true }, 'known'],
    atItsEnd: [{ ok: false, reason: 'expired' }, 'ended'],
    endless: { ok: true },
  })
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
