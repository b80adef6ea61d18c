import { describe, expect, test } from 'vitest'
import { listLongTestedHelpers } from '../setup/tested-helpers.ts'
import { startCountableSource } from './countable-source.ts'
import { startRun, startRuns, summarize, tokenOf } from './start-run.ts'

describe.each(listLongTestedHelpers())('%s', (helper) => {
  test('a date discards earlier entries once', async () => {
    const source = await startCountableSource(helper)
    const run = async (...argv: string[]) => {
      const { stdout, stderr } = await startRun(helper, source, { argv }).outcome
      return { token: tokenOf(stdout), stderr }
    }
    const first = await run()
    const date = new Date().toISOString()
    const second = await run('--not-before', date)
    const later = [await run('--not-before', date), await run('--not-before', '2020-01-01')]
    expect({ second, isAnother: second.token !== first.token, later, mints: source.mints() }).toEqual({
      second: { token: expect.any(String), stderr: '' },
      isAnother: true,
      later: [second, second],
      mints: 2,
    })
  })

  test('a date in the future causes a warning, and parallel runs still share one mint', async () => {
    const source = await startCountableSource(helper)
    const argv = ['--not-before', '2100-01-01T00:00:00Z']
    source.delay(800)
    const summary = await summarize(startRuns(4, helper, source, { argv }))
    const mints = source.mints()
    await startRun(helper, source, { argv }).outcome
    expect({ ...summary, mints, mintsInTheEnd: source.mints() }).toEqual({
      statuses: ['0'],
      tokens: [expect.any(String)],
      said: [
        `${helper}: warning: not-before lies in the future (2100-01-01T00:00:00.000Z): until then every call gets a new token; correct it, or the clock\n`,
      ],
      mints: 1,
      mintsInTheEnd: 2,
    })
  })

  test('a text that is not a date with a zone is a usage error', async () => {
    const source = await startCountableSource(helper)
    const { ms: _, ...outcome } = await startRun(helper, source, { argv: ['--not-before', '2026-01-15T12:00:00'] })
      .outcome
    expect(outcome).toEqual({
      status: 2,
      stdout: '',
      stderr: `${helper}: --not-before: expected a date such as 2026-01-15 or 2026-01-15T12:00:00Z\n${helper}: hint: see: ${helper} --help\n`,
    })
  })
})
