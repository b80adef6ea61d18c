import { createSecretKey } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { toCacheFilePath } from '../../../src/helper/cache/cache-files.ts'
import { readOutline, renderSealedEntry } from '../../../src/helper/cache/sealed-entry.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

test('the outline of a sealed entry has no token', async () => {
  const known = {
    expiresAt: 4_000_000_000_000,
    clockOffsetMs: 0,
    minted: 1000,
    bootedAt: undefined,
    context: 'background' as const,
    uses: ['profile dev'],
  }
  const entry = { ...known, token: new Secret('hidden'), facts: { account: 'hidden' }, headers: { 'X-Key': 'hidden' } }
  const location = { directory: await temporaryDirectory(), program: 'badge', key: '1'.repeat(40) }
  const text = renderSealedEntry(entry, createSecretKey(Buffer.alloc(32)), location)
  expect(text).not.toContain('hidden')
  await writeFile(toCacheFilePath(location, 'sealed'), text, { mode: 0o600 })
  expect(await readOutline(location, 'sealed')).toEqual(known)
})
