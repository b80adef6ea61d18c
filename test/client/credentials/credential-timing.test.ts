import { expect, test } from 'vitest'
import { computeDueAt, isReusedAtStart, toCredentialTiming } from '../../../src/client/credentials/credential-timing.ts'

const hour = 3_600_000

test('a document without times asks for a new token each hour', () => {
  expect(toCredentialTiming({}, 0)).toEqual({ ttlMs: hour, lookAheadMs: 0, onExpiry: 'refresh' })
})

test('a session that starts uses a credential until its ttl has passed, and none that was refused', () => {
  const timing = toCredentialTiming({ ttlSec: 600 }, 60)
  const reused = [0, 599_999, 600_000].map((age) =>
    isReusedAtStart({ since: hour, isRefused: false }, hour + age, timing),
  )
  expect([...reused, isReusedAtStart({ since: hour, isRefused: true }, hour, timing)]).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test.each([
  [{ ttlSec: 600 }, 0, 600_000],
  [{ ttlSec: 600 }, 60, 540_000],
  [{ ttlSec: 121 }, 0, 121_000],
  [{ ttlSec: 120 }, 0, Number.POSITIVE_INFINITY],
  [{ ttlSec: 600, silentRefreshEnabled: false }, 0, Number.POSITIVE_INFINITY],
])('with %j and %s s of look-ahead a credential is due after %s ms', (document, lookAheadSec, dueMs) => {
  expect(computeDueAt({ since: 0 }, toCredentialTiming(document, lookAheadSec))).toBe(dueMs)
})
