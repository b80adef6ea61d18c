import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type CacheFile, listCacheFiles, toCacheFilePath } from '../../src/helper/cache/cache-files.ts'
import { parseEntry } from '../../src/helper/cache/entry.ts'
import { listLongTestedHelpers } from '../setup/tested-helpers.ts'
import { type CountableSource, startCountableSource } from './countable-source.ts'
import { ageEntries, cacheIn, listKinds, type Run, startRun, startRuns, tokenOf } from './start-run.ts'

const rounds = 25
const runsPerRound = 4

describe.each(listLongTestedHelpers())('%s', (helper) => {
  test('after runs are killed at any moment, the next one proceeds at once with intact files', async () => {
    const source = await startCountableSource(helper)
    let killed = 0
    for (let round = 0; round < rounds; round += 1) {
      // From before the first line to after the last, and in some rounds long enough for the others to wait.
      source.delay(Math.random() < 0.5 ? 0 : Math.random() * 200)
      const before = await readEntries(source)
      const victims = startRuns(runsPerRound, helper, source)
      killed += (await Promise.all(victims.map(killSometime))).filter(Boolean).length
      const after = await readEntries(source)
      const hasLostOne = after.length < before.length
      const { ms, status, stdout, stderr } = await startRun(helper, source).outcome
      const next = { status, token: tokenOf(stdout), stderr, isAtOnce: ms < 5_000 }
      expect({ round, entries: after, hasLostOne, next }).toEqual({
        round,
        entries: after.map(() => 'whole'),
        hasLostOne: false,
        next: { status: 0, token: expect.any(String), stderr: '', isAtOnce: true },
      })
      await ageEntries(source, 30_000)
    }
    await startRun(helper, source).outcome
    const left = await listKinds(source)
    // A memo, whole or half, changes no answer; the draft of one goes with a mint a minute later.
    expect({
      left: left.filter((kind) => !kind.startsWith('memo')),
      hasKilledEnough: killed > (rounds * runsPerRound) / 3,
    }).toEqual({ left: ['json', 'lock', 'served'], hasKilledEnough: true })
  })
})

/** Returns whether the run was killed before it had ended by itself. */
async function killSometime(run: Run): Promise<boolean> {
  await sleep(Math.random() * 450)
  run.kill('SIGKILL')
  return (await run.outcome).status === 'SIGKILL'
}

async function readEntries(source: CountableSource): Promise<string[]> {
  if (!existsSync(cacheIn(source))) return [] // before the first run
  const files = (await listCacheFiles(cacheIn(source))).filter(({ kind }) => kind === 'entry')
  const read = async ({ location, kind }: CacheFile) =>
    parseEntry(await readFile(toCacheFilePath(location, kind), 'utf8'), location)
  return Promise.all(files.map(async (file) => ((await read(file)) ? 'whole' : 'torn')))
}
