import { describe, expect, test } from 'vitest'
import { helperContexts } from '../../src/contract/context.ts'
import { listLongTestedHelpers } from '../setup/tested-helpers.ts'
import { startCountableSource } from './countable-source.ts'
import { ageEntries, listCache, prepareRun, startRun, startRuns, summarize } from './start-run.ts'

const oneToken = { statuses: ['0'], tokens: [expect.any(String)], said: [''] }

describe.each(listLongTestedHelpers())('%s', (helper) => {
  test.each(helperContexts)('in %s a hundred parallel cold starts share one mint', async (context) => {
    const source = await startCountableSource(helper)
    expect(await summarize(startRuns(100, helper, source, { context }))).toEqual(oneToken)
    expect(source.mints()).toBe(1)
  })

  test('again and again, whenever the token has become too old', async () => {
    const source = await startCountableSource(helper)
    for (let round = 1; round <= 2; round += 1) {
      expect(await summarize(startRuns(100, helper, source))).toEqual(oneToken)
      expect(source.mints()).toBe(round)
      await ageEntries(source, 30_000)
    }
  })

  test('a hundred refreshes at once share one new token', async () => {
    const source = await startCountableSource(helper)
    const { tokens: old } = await summarize([startRun(helper, source)])
    const context = 'mid-session-refresh'
    const { tokens, ...rest } = await summarize(startRuns(100, helper, source, { context }))
    expect({ tokens, ...rest }).toEqual(oneToken)
    expect(tokens).not.toEqual(old)
    expect(source.mints()).toBe(2)
  })

  test('a hundred runs over ten keys mint ten times, and leave ten entries', async () => {
    const source = await startCountableSource(helper)
    const runs = Array.from({ length: 100 }, (_, index) => prepareRun(helper, source, { key: index % 10 }))
    for (const run of runs) run.begin()
    const { statuses, tokens, said } = await summarize(runs)
    expect({ statuses, tokens: tokens.length, said, mints: source.mints() }).toEqual({
      ...{ statuses: ['0'], tokens: 10, said: [''] },
      mints: 10,
    })
    expect((await listCache(source)).map((name) => name.replace(/.*\./, '')).sort()).toEqual([
      ...Array(10).fill('json'),
      ...Array(10).fill('lock'),
    ])
  })
})
