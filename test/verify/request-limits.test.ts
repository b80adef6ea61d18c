import { expect, test } from 'vitest'
import { createRequestLimits, type SharedRates } from '../../src/verify/request-limits.ts'
import type { TokenRefusal } from '../../src/verify/verdict.ts'

const rate = { requests: 60, everySec: 60, burst: 2 }
const limits = { callers: rate, addresses: rate }

function toFacts(refusal: TokenRefusal | undefined) {
  return refusal && { reason: refusal.reason, detail: refusal.detail, retryAfterSec: refusal.retryAfterSec }
}

const limited = {
  reason: 'too-many-requests',
  detail: 'its owner may send 60 requests in 60 s, 2 at once',
  retryAfterSec: 1,
}

test.each([
  [undefined, undefined],
  ['', undefined],
  ['unix:', undefined],
  ['203.0.113.9, 10.0.0.1', undefined],
  ['203.0.113.9', '203.0.113.9'],
  ['203.0.113.9:443', undefined],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:ffff::2', '2001:db8:0:0::/64'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
])('the address %s is counted as %s', (address, key) => {
  const keys: string[] = []
  const shared = { ...createShared([]), take: async (counted: string) => void keys.push(counted) }
  createRequestLimits({ policy: () => ({ limits }), now: () => 0, shared }).takeAddress(() => address)
  expect(keys).toEqual(key === undefined ? [] : [key])
})

test('an address has the limit of the policy in force', () => {
  const policy: { limits?: typeof limits } = {}
  const { findAddressRefusal, takeAddress, state } = createRequestLimits({ policy: () => policy, now: () => 0 })
  const client = () => '203.0.113.9'
  const send = () => {
    const refusal = findAddressRefusal(client)
    if (!refusal) takeAddress(client)
    return toFacts(refusal)
  }
  const before = [send(), send(), send()]
  policy.limits = limits
  expect({
    before,
    after: [send(), send(), send()],
    other: findAddressRefusal(() => '203.0.113.8'),
    state: state(),
  }).toEqual({
    before: [undefined, undefined, undefined],
    after: [undefined, undefined, { ...limited, detail: undefined }],
    other: undefined,
    state: { callers: 0, addresses: 1 },
  })
})

test('a flood from as many addresses as there are displaces no caller', () => {
  const { take, takeAddress, state } = createRequestLimits({ policy: () => ({ limits }), now: () => 0 })
  const taken = [take({ key: 'dana', rate }), take({ key: 'dana', rate })]
  for (let at = 0; at < 200_000; at += 1) takeAddress(() => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`)
  const { addresses, ...rest } = state()
  expect({ taken, next: toFacts(take({ key: 'dana', rate })), rest, isBounded: addresses <= 50_000 }).toEqual({
    taken: [undefined, undefined],
    next: limited,
    rest: { callers: 1 },
    isBounded: true,
  })
})

/** Counts that give one answer after the other. */
function createShared(answers: readonly (number | undefined)[]): SharedRates {
  const left = [...answers]
  return { take: async () => left.shift(), isAvailable: () => true, close: () => {} }
}

test('a caller who has used everything elsewhere is refused at once', async () => {
  const shared = createShared([3_500])
  const { take, takeShared } = createRequestLimits({ policy: () => ({ limits }), now: () => 0, shared })
  expect([toFacts(await takeShared({ key: 'dana', rate })), toFacts(take({ key: 'dana', rate }))]).toEqual([
    { ...limited, retryAfterSec: 2 },
    { ...limited, retryAfterSec: 3 },
  ])
})

test('a process counts alone while nobody answers', async () => {
  const shared = createShared([undefined, undefined])
  const { takeShared } = createRequestLimits({ policy: () => ({ limits }), now: () => 0, shared })
  const results = []
  for (let sent = 0; sent < 3; sent += 1) results.push(toFacts(await takeShared({ key: 'dana', rate })))
  expect(results).toEqual([undefined, undefined, limited])
})
