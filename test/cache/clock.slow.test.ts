import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { helperNames } from '../../pkg-scripts/helpers.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { startCountableSource } from './countable-source.ts'
import { ageEntries, editEntries, startRun, tokenOf } from './start-run.ts'

/** Puts a process's clock that many minutes from this machine's. */
async function startClocks(): Promise<(minutes: number) => Record<string, string>> {
  const preload = join(await temporaryDirectory(), 'set-clock.cjs')
  await writeFile(
    preload,
    `const Real = Date, shift = Number(process.env.TEST_CLOCK_SHIFT)
globalThis.Date = class Date extends Real {
  constructor(...parts) { super(...(parts.length > 0 ? parts : [Real.now() + shift])) }
  static now() { return Real.now() + shift }
}`,
  )
  return (minutes) => ({ NODE_OPTIONS: `--require "${preload}"`, TEST_CLOCK_SHIFT: String(minutes * 60_000) })
}

describe.each(helperNames())('%s', (helper) => {
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

  test.each([10, -10, 0])(
    'a machine that is %s minutes off never prints a dead token, whether its clock is corrected or not',
    async (minutes) => {
      const { source, run } = await startDesk()
      await run(minutes)
      source.refuseBriefly()
      // Minutes after the mint, by a clock that was left as it was and by one that is right.
      const dead = await Promise.all([minutes + 61, 61].map((now) => run(now)))
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

  test('a clock that jumps back makes no entry young, neither a new one nor an old one', async () => {
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
    expect(await run(0)).toMatchObject({ status: 6, stdout: '' })
  })

  test('a clock that jumps forward costs a token at most its life, never more', async () => {
    const { source, run } = await startDesk()
    const first = tokenOf((await run(0)).stdout)
    expect(tokenOf((await run(40)).stdout)).toBe(first)
    expect(tokenOf((await run(55)).stdout)).not.toBe(first)
    expect(source.mints()).toBe(2)
  })
})
