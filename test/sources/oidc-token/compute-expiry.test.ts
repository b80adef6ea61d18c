import { expect, test } from 'vitest'
import { computeExpiry } from '../../../src/sources/oidc-token/mint-exchange.ts'

const sentAt = Date.UTC(2026, 0, 15, 12)
const at = (seconds: number) => sentAt / 1000 + seconds

test.each<
  [name: string, life: number | undefined, offsetMs: number, claims: object | undefined, end: number | undefined]
>([
  ['what the answer states', 600, 0, undefined, 600],
  ['what the token says, where the answer states nothing', undefined, 0, { exp: at(300) }, 300],
  ['the earlier of both', 600, 0, { exp: at(300) }, 300],
  ['the earlier of both, turned round', 200, 0, { exp: at(300) }, 200],
  ["the token's own end by this machine's clock", 600, 120_000, { exp: at(300) }, 180],
  ['nothing where neither says it', undefined, 0, { sub: 'alice' }, undefined],
  ['nothing for an opaque token', undefined, 0, undefined, undefined],
  ['nothing where the token says nonsense', undefined, 0, { exp: 1e300 }, undefined],
])('an issued token ends by %s', (_, expiresInSec, clockOffsetMs, claims, end) => {
  const found = computeExpiry({ expiresInSec, sentAt, clockOffsetMs }, claims as Record<string, unknown> | undefined)
  expect(found).toEqual(end === undefined ? undefined : new Date(sentAt + end * 1000))
})
