import { expect, test } from 'vitest'
import { renderLifeLine } from '../../../src/cli/verify/describe-token.ts'
import type { TokenLife } from '../../../src/cli/verify/shown-claims.ts'

const noon = Date.UTC(2026, 0, 15, 12)
const hour = 3_600_000
const life = { issuedAt: noon, expiresAt: noon + hour }

test.each<[what: string, life: TokenLife, now: number, columns: number, line: string | undefined]>([
  ['half of it is over', life, noon + hour / 2, 60, '2026-01-15 12:00:00 ├───────────●───────────┤ 13:00:00'],
  ['it begins', life, noon, 60, '2026-01-15 12:00:00 ├●──────────────────────┤ 13:00:00'],
  ['it ends', life, noon + hour, 60, '2026-01-15 12:00:00 ├──────────────────────●┤ 13:00:00'],
  ['it is over', life, noon + 2 * hour, 60, '2026-01-15 12:00:00 ├─────────────────────┤ ● 13:00:00'],
  ['it has not begun', life, noon - 1, 60, '2026-01-15 12:00:00 ● ├─────────────────────┤ 13:00:00'],
  [
    'it ends on another day',
    { notBefore: noon, issuedAt: 0, expiresAt: noon + 24 * hour },
    noon + hour,
    70,
    '2026-01-15 12:00:00 ├─●────────────────────┤ 2026-01-16 12:00:00',
  ],
  ['there is no room', life, noon, 40, undefined],
  ['a terminal says no width', life, noon, 0, undefined],
  ['it does not say when it ends', { issuedAt: noon }, noon, 80, undefined],
  ['it ends before it begins', { issuedAt: noon, expiresAt: noon }, noon, 80, undefined],
])("the line shows how much of a token's life is over: %s", (_what, stated, now, columns, line) => {
  expect(renderLifeLine(stated, now, columns)).toBe(line)
})
