import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseLostCount, recordLost } from '../../src/outcomes/lost-count.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const sumOf = async (directory: string) =>
  (await readdir(directory)).reduce((sum, name) => sum + (parseLostCount(name) ?? 0), 0)

test('many processes count at once without a loss', async () => {
  const directory = await temporaryDirectory()
  await Promise.all(Array.from({ length: 30 }, (_, process) => recordLost(directory, 1, { process, now: 1 })))
  await recordLost(directory, 7, { process: 1, now: 2 })
  expect(await sumOf(directory)).toBe(37)
})

test('an existing counter is continued, and another file does not count', async () => {
  const directory = await temporaryDirectory()
  for (const name of ['outcomes.lost-1-2-9', 'outcomes.lost-1-2', 'outcomes.spool', 'outcomes.lost-1-2-x'])
    await writeFile(join(directory, name), '')
  await recordLost(directory, 2, { process: 3, now: 4 })
  expect((await readdir(directory)).sort()).toEqual([
    'outcomes.lost-1-2',
    'outcomes.lost-1-2-11',
    'outcomes.lost-1-2-x',
    'outcomes.spool',
  ])
})
