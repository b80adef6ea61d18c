import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { toCacheFilePath } from '../../../src/helper/cache/cache-files.ts'
import { createStore } from '../../../src/helper/cache/store.ts'
import { createUsedAssertions, isUsedAssertion } from '../../../src/helper/mint/used-assertions.ts'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const id = 'a'.repeat(40)

/** Prepares a cache with the record of one used assertion, in a directory of this mode. */
async function startCache(mode: number) {
  const directory = join(await temporaryDirectory(), 'cache')
  const place = { directory, program: 'tool', key: id }
  await mkdir(directory)
  await writeFile(toCacheFilePath(place, 'used'), '{}', { mode: 0o600 })
  await chmod(directory, mode)
  const warnings: string[] = []
  const used = createUsedAssertions(
    createStore(place, (message) => warnings.push(message)),
    new Deadline({ seconds: 58, hint: '' }, { elapsedMs: () => 0 }),
  )
  return { directory, place, warnings, used }
}

test('an assertion with a record counts as used', async () => {
  const { place, used, warnings } = await startCache(0o700)
  expect(await isUsedAssertion(place)).toBe(true)
  expect([
    await used.use({ id, until: 1_000 }, async () => ({ result: 'exchanged', state: 'used' })),
    warnings,
  ]).toEqual(['used', []])
})

test('a record in a directory that others can write does not count, because any of them could have put it there', async () => {
  const { directory, place, used, warnings } = await startCache(0o770)
  const refusal = `${directory} can be written by other users (run: chmod go-w '${directory}')`
  await expect(isUsedAssertion(place)).rejects.toThrow(refusal)
  expect([
    await used.use({ id, until: 1_000 }, async () => ({ result: 'exchanged', state: 'used' })),
    warnings,
  ]).toEqual(['exchanged', [`cannot use the token cache: ${refusal}`]])
})

test('an assertion that is used is recorded with its end, and exchanged once by two runs at once', async () => {
  const { place, used, warnings } = await startCache(0o700)
  const other = 'b'.repeat(40)
  const exchange = () =>
    used.use({ id: other, until: 1_000 }, async () => {
      await sleep(50) // time for the other one to come as well
      return { result: 'exchanged', state: 'used' }
    })
  expect((await Promise.all([exchange(), exchange()])).toSorted()).toEqual(['exchanged', 'used'])
  const path = toCacheFilePath({ ...place, key: other }, 'used')
  expect([await readFile(path, 'utf8'), warnings]).toEqual(['{"expiresAt":1000}', []])
})

test('an assertion whose exchange gave no token is not used', async () => {
  const { place, used, warnings } = await startCache(0o700)
  const other = { id: 'b'.repeat(40), until: 1_000 }
  const refuse = async (sentBefore: number | undefined) => ({ result: sentBefore, state: 'unused' }) as const
  expect([await used.use(other, refuse), await isUsedAssertion({ ...place, key: other.id })]).toEqual([
    undefined,
    false,
  ])
  expect([await used.use(other, refuse), warnings]).toEqual([undefined, []])
})

test.each<[what: string, sending: () => Promise<{ result: undefined; state: 'unknown' }>]>([
  ['that ended in the middle', () => Promise.reject(new Error('late'))],
  ['that got no answer', async () => ({ result: undefined, state: 'unknown' })],
])('after a run %s the next one may send the assertion, and knows when it was sent before', async (_, sending) => {
  const { place, used } = await startCache(0o700)
  const other = { id: 'b'.repeat(40), until: 1_000 }
  await used.use(other, sending).catch(() => undefined)
  const sentAt = (await stat(toCacheFilePath({ ...place, key: other.id }, 'sent'))).mtimeMs
  const send = (state: 'unused' | 'unknown' | 'used') =>
    used.use(other, async (sentBefore) => ({ result: sentBefore, state }))
  // A refusal tells nothing of the first time.
  expect([await send('unused'), await send('unknown'), await send('used'), await send('unused')]).toEqual([
    sentAt,
    sentAt,
    sentAt,
    'used',
  ])
})
