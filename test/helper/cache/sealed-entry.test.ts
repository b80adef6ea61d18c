import { createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseEntryOutline, renderSealedEntry } from '../../../src/helper/cache/sealed-entry.ts'
import { Secret } from '../../../src/runtime/secret.ts'

test('the outline of a sealed entry has no token, not even an empty one that another could be compared with', () => {
  const known = {
    expiresAt: 4_000_000_000_000,
    clockOffsetMs: 0,
    minted: 1000,
    bootedAt: undefined,
    context: 'background' as const,
    uses: ['profile dev'],
  }
  const entry = { ...known, token: new Secret('hidden'), facts: { account: 'hidden' }, headers: { 'X-Key': 'hidden' } }
  const text = renderSealedEntry(entry, createSecretKey(Buffer.alloc(32)), {
    directory: '/cache',
    program: 'badge',
    key: '1'.repeat(40),
  })
  expect(text).not.toContain('hidden')
  expect(parseEntryOutline(text)).toEqual(known)
})
