import { describe, expect, test } from 'vitest'
import type { ClientContext } from '../../src/contract/context.ts'
import { listLongTestedHelpers } from '../setup/tested-helpers.ts'
import { startCountableSource } from './countable-source.ts'
import { startClocks } from './set-clock.ts'
import { ageEntries, editEntries, startRun, tokenOf } from './start-run.ts'

describe.each(listLongTestedHelpers())('%s', (helper) => {
  /** Runs one after another for tokens of an hour, with this machine's clock set each time. */
  const startDesk = async () => {
    const source = await startCountableSource(helper)
    const clock = await startClocks()
    const run = async (minutes: number, ttlSec = 600) => {
      const argv = ['--client-ttl', String(ttlSec)]
      const { ms: _, ...outcome } = await startRun(helper, source, { argv, env: clock(minutes) }).outcome
      return outcome
    }
    return { source, run }
  }

  test.each([
    [10, 'ahead of'],
    [-10, 'behind'],
  ])('a machine that is %s minutes off says so when it mints, and keeps the token', async (minutes, direction) => {
    const { source, run } = await startDesk()
    const first = await run(minutes)
    expect(first.stderr).toMatch(new RegExp(`^${helper}: warning: .*clock is 10 minutes ${direction} .*\\n$`))
    expect(await run(minutes + 5)).toEqual({ ...first, stderr: '' })
    expect(source.mints()).toBe(1)
  })

  test.each([10, -10, 3, -3, 0])(
    'a machine that is %s minutes off never prints a dead token, whether its clock is corrected or not',
    async (minutes) => {
      const { source, run } = await startDesk()
      await run(minutes)
      source.refuseBriefly()
      // Minutes after the mint, by a clock that was left as it was and by one that is right.
      const dead = await Promise.all([minutes + 60.5, 60.5].map((now) => run(now)))
      expect(dead.map(({ status, stdout }) => [status, stdout])).toEqual([
        [6, ''],
        [6, ''],
      ])
      // As long as it surely lives it is served, if need be.
      expect(await run(Math.max(minutes, 0) + 45, 3600)).toMatchObject({ status: 0 })
    },
  )

  test('hours ahead, parallel and repeated runs still share a mint of this moment', async () => {
    const { source, run } = await startDesk()
    const outcomes = [await run(180), ...(await Promise.all([run(180), run(180)]))]
    expect(new Set(outcomes.map(({ stdout }) => tokenOf(stdout))).size).toBe(1)
    expect(source.mints()).toBe(1)
  })

  test('a clock that jumps back does not make an entry young, new or old', async () => {
    const { source, run } = await startDesk()
    const first = tokenOf((await run(0)).stdout)
    expect(tokenOf((await run(-2)).stdout)).not.toBe(first)
    await run(0, 3000)
    await ageEntries(source, 50 * 60_000)
    // Back by less than the age of the entry, so that its date is not in the future.
    const before = source.mints()
    await run(-20, 60)
    expect(source.mints()).toBe(before + 1)
  })

  test('an entry from the future is stale, also for a call whose source is away', async () => {
    const { source, run } = await startDesk()
    await run(0)
    await editEntries(source, ({ minted, expiresAt, ...entry }) => ({
      ...entry,
      minted: Number(minted) + 600_000,
      expiresAt: Number(expiresAt) + 600_000,
    }))
    source.refuseBriefly()
    expect(await run(0)).toMatchObject(source.keepsLast ? { status: 0 } : { status: 6, stdout: '' })
  })

  test('a clock that jumps forward costs a token at most its life, never more', async () => {
    const { source, run } = await startDesk()
    const first = tokenOf((await run(0)).stdout)
    expect(tokenOf((await run(30)).stdout)).toBe(first)
    expect(tokenOf((await run(55)).stdout)).not.toBe(first)
    expect(source.mints()).toBe(2)
  })

  test.each([-60, 60])(
    'a clock that is set by %s minutes during a run does not change when it gives up',
    async (minutes) => {
      const source = await startCountableSource(helper)
      const env = (await startClocks())(minutes, 'once it has begun')
      const run = (key: number, context: ClientContext) =>
        startRun(helper, source, { argv: ['--client-timeout', '5'], env, key, context }).outcome
      expect(await run(1, 'interactive')).toMatchObject({ status: 0 })
      source.hangOnce()
      // In which nothing is served in place of a new token, though it has not ended by the clock that was set back.
      const { ms, ...outcome } = await run(2, 'mid-session-refresh')
      expect(outcome).toMatchObject({ status: 7, stdout: '', stderr: expect.stringContaining(' of this call\n') })
      // A process that outlives a run is waited for until a moment before the run's deadline.
      expect(ms).toBeGreaterThan(2_600)
      expect(ms).toBeLessThan(5_000)
    },
  )
})
