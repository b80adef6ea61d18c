import { expect, test } from 'vitest'
import { Secret } from '../../../src/runtime/secret.ts'
import { isEnding, isEnough, isVoid, type TokenDemand } from '../../../src/sources/oidc-token/token-demand.ts'

const now = Date.UTC(2026, 0, 15, 12)
const minutes = (count: number) => count * 60_000

/** Returns a sign-in whose tokens were issued and end so many minutes from now. */
const signIn = (issued: number, ends: number, more: { kept?: boolean; clockOffsetMs?: number } = {}) => ({
  id: 'made-up',
  since: now + minutes(issued),
  tokens: {
    expiresAt: new Date(now + minutes(ends)),
    ...(more.kept && { refreshToken: new Secret('made-up') }),
    ...(more.clockOffsetMs !== undefined && { clockOffsetMs: more.clockOffsetMs }),
  },
})

const demand = (parts: Partial<TokenDemand> = {}): TokenDemand => ({
  context: 'background',
  now,
  startedAt: now,
  clientTtlSec: 3_600,
  notBefore: undefined,
  ...parts,
})
const refresh = { context: 'mid-session-refresh' } as const
const kept = { kept: true }

type DemandRow = [what: string, found: ReturnType<typeof signIn>, parts: Partial<TokenDemand>]

test.each<DemandRow>([
  ['outlives the ttl and a minute', signIn(-1, 61, kept), {}],
  ['ends earlier, and nothing renews it', signIn(-1, 60), {}],
  ['was issued while the run waited', signIn(0, 5, kept), {}],
  ['was issued in this very refresh', signIn(0, 5, kept), refresh],
  ['may have been refused, and nothing renews it', signIn(-1, 5), refresh],
  ['is from after the date that voids others', signIn(-2, 120), { notBefore: now - minutes(3) }],
])('a token that %s is enough', (_, found, parts) => {
  expect(isEnough(found, demand(parts))).toBe(true)
})

test.each<DemandRow>([
  ['does not outlive the ttl and a minute, and can be renewed', signIn(-1, 60, kept), {}],
  ['ends within a minute, although nothing renews it', signIn(-60, 1), {}],
  ['may have been refused, and can be renewed', signIn(-1, 120, kept), refresh],
  ['has ended', signIn(-60, 0), {}],
  ['has ended by the clock of the provider, which was behind', signIn(-60, 10, { clockOffsetMs: -minutes(10) }), {}],
  ['is from before the date that voids it', signIn(-2, 120), { notBefore: now - minutes(1) }],
])('a token that %s is not enough', (_, found, parts) => {
  expect(isEnough(found, demand(parts))).toBe(false)
})

test('a date in the future voids no token that was issued while the run waited', () => {
  const later = { notBefore: now + minutes(60) }
  expect([signIn(-1, 60), signIn(0, 60)].map((found) => isVoid(found, demand(later)))).toEqual([true, false])
})

test.each<[found: ReturnType<typeof signIn>, clientTtlSec: number, ending: boolean]>([
  [signIn(-56, 4), 3_600, true],
  [signIn(-54, 6), 3_600, false],
  [signIn(-56, 4), 120, false],
  [signIn(-3, 2), 3_600, true],
  [signIn(0, 4), 3_600, false],
  [signIn(-56, 4, kept), 3_600, false],
])('a person is asked again before the end, but not right after a sign-in', (found, clientTtlSec, ending) => {
  expect(isEnding(found, demand({ clientTtlSec }))).toBe(ending)
})
