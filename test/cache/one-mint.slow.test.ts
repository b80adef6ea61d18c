import { describe, expect, test } from 'vitest'
import { helperContexts } from '../../src/contract/context.ts'
import { countAtOnce } from '../setup/count-at-once.ts'
import { listLongTestedHelpers } from '../setup/tested-helpers.ts'
import { startCountableSource } from './countable-source.ts'
import { ageEntries, listKinds, prepareHelper, startRun, startRuns, summarize } from './start-run.ts'

/** One context is tested with a hundred runs. The others run the same code, so fewer runs are enough for them. */
const several = countAtOnce(40)
const few = 12

const oneToken = { statuses: ['0'], tokens: [expect.any(String)], said: [''] }

describe.each(listLongTestedHelpers())('%s', (helper) => {
  test('a hundred parallel cold starts share one mint', async () => {
    const source = await startCountableSource(helper)
    expect(await summarize(startRuns(countAtOnce(100), helper, source, { context: 'interactive' }))).toEqual(oneToken)
    expect(source.mints()).toBe(1)
  })

  test.each(helperContexts)('in %s parallel cold starts share one mint', async (context) => {
    const source = await startCountableSource(helper)
    expect(await summarize(startRuns(few, helper, source, { context }))).toEqual(oneToken)
    expect(source.mints()).toBe(1)
  })

  test('parallel runs share one mint each time the token has become too old', async () => {
    const source = await startCountableSource(helper)
    const play = async () => [await summarize(startRuns(several, helper, source)), source.mints()]
    const first = await play()
    await ageEntries(source, 30_000)
    expect([first, await play()]).toEqual([
      [oneToken, 1],
      [oneToken, 2],
    ])
  })

  test('refreshes at once share one new token', async () => {
    const source = await startCountableSource(helper)
    const { tokens: old } = await summarize([startRun(helper, source)])
    const context = 'mid-session-refresh'
    const summary = await summarize(startRuns(several, helper, source, { context }))
    expect({ summary, isRenewed: summary.tokens[0] !== old[0], mints: source.mints() }).toEqual({
      summary: oneToken,
      isRenewed: true,
      mints: 2,
    })
  })

  test('runs over ten keys mint ten times, and leave ten entries', async () => {
    const source = await startCountableSource(helper)
    const runs = Array.from({ length: several }, (_, index) => prepareHelper(helper, source, { key: index % 10 }))
    for (const run of runs) run.begin()
    const { statuses, tokens, said } = await summarize(runs)
    expect({ statuses, tokens: tokens.length, said, mints: source.mints() }).toEqual({
      statuses: ['0'],
      tokens: 10,
      said: [''],
      mints: 10,
    })
    // A run that is served from the cache may leave a memo, which is nothing to count.
    expect((await listKinds(source)).filter((kind) => !kind.startsWith('memo'))).toEqual([
      ...Array(10).fill('json'),
      ...Array(10).fill('lock'),
      ...Array(10).fill('served'),
    ])
  })
})
