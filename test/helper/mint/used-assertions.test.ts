import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { toCacheFilePath } from '../../../src/helper/cache/directory.ts'
import { createStore } from '../../../src/helper/cache/store.ts'
import { createUsedAssertions, isUsedAssertion } from '../../../src/helper/mint/used-assertions.ts'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const id = 'a'.repeat(40)

/** A cache with the record of one used assertion, in a directory of this mode. */
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

test('an assertion with a record is used, and nothing is done with it', async () => {
  const { place, used, warnings } = await startCache(0o700)
  expect(await isUsedAssertion(place)).toBe(true)
  expect([await used.use(id, async () => 'exchanged'), warnings]).toEqual(['used', []])
})

test('a record in a directory that others can write is not believed: any of them could have put it there', async () => {
  const { directory, place, used, warnings } = await startCache(0o770)
  const refusal = `${directory} can be written by other users (run: chmod go-w '${directory}')`
  await expect(isUsedAssertion(place)).rejects.toThrow(refusal)
  expect([await used.use(id, async () => 'exchanged'), warnings]).toEqual([
    'exchanged',
    [`cannot use the token cache: ${refusal}`],
  ])
})

test('an assertion that is used up is recorded with its end, and of two at the same moment one is exchanged', async () => {
  const { place, used, warnings } = await startCache(0o700)
  const other = 'b'.repeat(40)
  const exchange = () =>
    used.use(other, async (spend) => {
      await sleep(50) // time for the other one to come as well
      await spend(1_000)
      return 'exchanged'
    })
  expect((await Promise.all([exchange(), exchange()])).toSorted()).toEqual(['exchanged', 'used'])
  const path = toCacheFilePath({ ...place, key: other }, 'used')
  expect([await readFile(path, 'utf8'), warnings]).toEqual(['{"expiresAt":1000}', []])
})

test('an assertion whose exchange came to nothing is not used', async () => {
  const { place, used, warnings } = await startCache(0o700)
  const other = 'b'.repeat(40)
  expect([await used.use(other, async () => 'refused'), await isUsedAssertion({ ...place, key: other })]).toEqual([
    'refused',
    false,
  ])
  expect([await used.use(other, async () => 'refused again'), warnings]).toEqual(['refused again', []])
})
