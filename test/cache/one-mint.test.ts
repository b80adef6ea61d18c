import { describe, expect, inject, test } from 'vitest'
import { helperContexts } from '../../src/contract/context.ts'
import { isCounted, listTestedHelpers } from '../setup/tested-helpers.ts'
import { waitUntil } from '../setup/wait-until.ts'
import { startCountableSource } from './countable-source.ts'
import { ageEntries, startRun, startRuns, summarize, tokenOf, untilHeld } from './start-run.ts'

/** The summary of runs that all print one token, and nothing on stderr. */
const oneToken = { statuses: ['0'], tokens: [expect.any(String)], said: [''] }
const refresh = 'mid-session-refresh'
/** In the quick set none, because the second test starts a run in each at once; a dozen starts in each are in one-mint.slow.test.ts. */
const contexts = inject('testSet') === 'quick' ? [] : helperContexts

describe.each(listTestedHelpers(['oidc-token', 'workload-token']).filter(isCounted))('%s', (helper) => {
  test.each(contexts)('in %s parallel cold starts share one mint', async (context) => {
    const source = await startCountableSource(helper)
    expect({ summary: await summarize(startRuns(6, helper, source, { context })), mints: source.mints() }).toEqual({
      summary: oneToken,
      mints: 1,
    })
  })

  test('parallel starts in different contexts share one mint', async () => {
    const source = await startCountableSource(helper)
    expect({
      summary: await summarize(helperContexts.map((context) => startRun(helper, source, { context }))),
      mints: source.mints(),
    }).toEqual({ summary: oneToken, mints: 1 })
  })

  test('while a mint takes long, every run that starts meanwhile waits for it', async () => {
    const source = await startCountableSource(helper)
    source.delay(700)
    const first = startRun(helper, source)
    await untilHeld(source)
    expect({ summary: await summarize([first, ...startRuns(5, helper, source)]), mints: source.mints() }).toEqual({
      summary: oneToken,
      mints: 1,
    })
  })

  test('refreshes at once share one new token, and never the one that was there', async () => {
    const source = await startCountableSource(helper)
    const { tokens: old } = await summarize([startRun(helper, source)])
    const renewed = await summarize(startRuns(8, helper, source, { context: refresh }))
    expect({ renewed, areOld: renewed.tokens[0] === old[0], mints: source.mints() }).toEqual({
      renewed: oneToken,
      areOld: false,
      mints: 2,
    })
  })

  test('a refresh is served what another refresh minted moments ago, and nothing older', async () => {
    const source = await startCountableSource(helper)
    const runOnce = async () => tokenOf((await startRun(helper, source, { context: refresh }).outcome).stdout)
    const tokens = [await runOnce(), await runOnce()]
    await ageEntries(source, 15_000)
    const later = await runOnce()
    expect({ tokens, isLaterNew: later !== tokens[0], mints: source.mints() }).toEqual({
      tokens: [tokens[0], tokens[0]],
      isLaterNew: true,
      mints: 2,
    })
  })

  test('a run for another key does not wait for a mint that hangs', async () => {
    const source = await startCountableSource(helper)
    source.hangOnce()
    const hanging = startRun(helper, source, { key: 1 })
    await waitUntil('the source is asked', () => source.mints() === 1)
    const others = [2, 3].map((key) => startRun(helper, source, { key }))
    const { tokens } = await summarize(others)
    expect(new Set(tokens).size).toBe(2)
    hanging.kill('SIGKILL')
  })
})
