import { describe, expect, test } from 'vitest'
import type { ClientContext } from '../../src/contract/context.ts'
import { listLongTestedHelpers } from '../setup/tested-helpers.ts'
import { toStableValue } from '../setup/to-stable-text.ts'
import { startCountableSource } from './countable-source.ts'
import { startClocks } from './set-clock.ts'
import { ageEntries, editEntries, startRun, tokenOf } from './start-run.ts'

/** The words of each helper about its source, and its output. */
const wordsOf = {
  'aws-bedrock-token': {
    printed: (_: number, key: number) => `{"token":"BEDROCK-KEY","headers":{"X-Key":"${key}"}}\n`,
    clockWords: (minutes: number, direction: string) =>
      `this machine's clock is ${minutes} min ${direction} AWS's; what is signed is dated by AWS's clock; set the clock of this machine`,
    away: 'AWS STS in eu-central-1 is busy or broken (ServiceUnavailable, HTTP 503)',
    last: (away: string) => [`warning: ${away}; serving the last token, which is good until DATE`],
    late: [
      'AWS STS in eu-central-1 (waiting for 127.0.0.1:PORT to answer) took longer than the 3 s of this call',
      "hint: find out why it is slow, or raise timeoutSec in the client's document and client-timeout here",
    ],
  },
  'oidc-token': {
    printed: (number: number, _: number) => `{"token":"made-up-token-${number}"}\n`,
    clockWords: (minutes: number, direction: string) =>
      `this machine's clock is ${minutes} min ${direction} that of 127.0.0.1:PORT; set the clock of this machine`,
    away: '127.0.0.1:PORT is busy or broken (HTTP 503)',
    last: (away: string) => [
      `warning: ${away}; going on with the stored tokens, which expire at DATE`,
      "warning: the token lives N s, but the client keeps it for 3600 s: set ttlSec in the client's document, and client-ttl here, to N",
    ],
    late: [
      'in the renewal of the sign-in to 127.0.0.1:PORT, 127.0.0.1:PORT (waiting for 127.0.0.1:PORT to answer) took longer than the 3 s of this call',
      'hint: try again in a moment: the renewal goes on without this run, and the next run uses its result',
    ],
  },
} as const

describe.each(listLongTestedHelpers())('%s', (helper) => {
  const { printed, clockWords, away, last, late } = wordsOf[helper as keyof typeof wordsOf] // the helpers of this list
  const lines = (...texts: string[]) => texts.map((text) => `${helper}: ${text}\n`).join('')
  const served = (number: number, key = 0) => ({ status: 0, stdout: printed(number, key), stderr: '' })
  const refused = { status: 6, stdout: '', stderr: lines(away, 'hint: try again in a moment') }

  /** Runs one after another for tokens of an hour, with this machine's clock set each time. */
  const startDesk = async () => {
    const source = await startCountableSource(helper)
    const clock = await startClocks()
    const run = async (minutes: number, ttlSec = 600) => {
      const argv = ['--client-ttl', String(ttlSec)]
      const { ms: _, ...outcome } = await startRun(helper, source, { argv, env: clock(minutes) }).outcome
      return outcome
    }
    const runInWords = async (minutes: number, ttlSec?: number) => toStableValue(await run(minutes, ttlSec))
    return { source, run, runInWords }
  }

  test.each([
    [10, 'ahead of'],
    [-10, 'behind'],
  ])('a run whose clock is %s minutes off warns of that when it mints', async (minutes, direction) => {
    const { source, run } = await startDesk()
    const first = await run(minutes)
    expect({ first: toStableValue(first), second: await run(minutes + 5), mints: source.mints() }).toEqual({
      first: { ...served(1), stderr: lines(`warning: ${clockWords(10, direction)}`) },
      second: { ...first, stderr: '' },
      mints: 1,
    })
  })

  test.each([10, -10, 3, -3, 0])(
    'a run whose clock is %s minutes off never prints an expired token',
    async (minutes) => {
      const { source, runInWords } = await startDesk()
      await runInWords(minutes)
      source.refuseBriefly()
      // Minutes after the mint, by a clock that was left as it was and by one that is right.
      const dead = await Promise.all([minutes + 60.5, 60.5].map((now) => runInWords(now)))
      expect(dead).toEqual([refused, refused])
      // As long as it surely lives it is served, if need be.
      expect(await runInWords(Math.max(minutes, 0) + 45, 3600)).toEqual({ ...served(1), stderr: lines(...last(away)) })
    },
  )

  test('parallel and repeated runs share one mint although the clock is hours ahead', async () => {
    const { source, run } = await startDesk()
    const outcomes = [await run(180), ...(await Promise.all([run(180), run(180)]))]
    expect(new Set(outcomes.map(({ stdout }) => tokenOf(stdout))).size).toBe(1)
    expect(source.mints()).toBe(1)
  })

  test('a run after the clock has jumped back mints again', async () => {
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

  test('an entry from the future is not used, even while the source is out of reach', async () => {
    const { source, runInWords } = await startDesk()
    await runInWords(0)
    await editEntries(source, ({ minted, expiresAt, ...entry }) => ({
      ...entry,
      minted: Number(minted) + 600_000,
      expiresAt: Number(expiresAt) + 600_000,
    }))
    source.refuseBriefly()
    expect(await runInWords(0)).toEqual(source.keepsLast ? served(1) : refused)
  })

  test("a clock that jumps forward costs no more than the rest of a token's life", async () => {
    const { source, run } = await startDesk()
    const [first, second, third] = [await run(0), await run(30), await run(55)]
    expect({ second, isRenewed: tokenOf(third.stdout) !== tokenOf(first.stdout), mints: source.mints() }).toEqual({
      second: { ...first, stderr: '' },
      isRenewed: true,
      mints: 2,
    })
  })

  test.each([
    [-60, 'behind'],
    [60, 'ahead of'],
  ])(
    'a clock that is set by %s minutes during a run does not move the deadline of the run',
    async (minutes, direction) => {
      const source = await startCountableSource(helper)
      const env = (await startClocks())(minutes, 'once it has begun')
      const run = (key: number, context: ClientContext) =>
        startRun(helper, source, { argv: ['--client-timeout', '5'], env, key, context }).outcome
      const { ms: _, ...first } = await run(1, 'interactive')
      source.hangOnce()
      // In which nothing is served in place of a new token, though it has not ended by the clock that was set back.
      const { ms, ...outcome } = await run(2, 'mid-session-refresh')
      // A process that outlives a run is waited for until a moment before the run's deadline.
      const isOnTime = 2_600 < ms && ms < 5_000
      expect(toStableValue({ first, outcome, isOnTime })).toEqual({
        first: { ...served(1, 1), stderr: lines(`warning: ${clockWords(60, direction)}`) },
        outcome: { status: 7, stdout: '', stderr: lines(...late) },
        isOnTime: true,
      })
    },
  )
})
