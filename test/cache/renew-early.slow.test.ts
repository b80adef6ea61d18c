import { expect, test } from 'vitest'
import { startCountableSource } from './countable-source.ts'
import { editEntries, startRun, startRuns, summarize, tokenOf, untilHeld } from './start-run.ts'

const helper = 'workload-token'
const argv = ['--client-ttl', '300']

/**
 * Starts a source whose hour's token is kept, is served for nine minutes more, and is renewed early by this machine since four minutes.
 * @returns The token too.
 */
async function startDue() {
  const source = await startCountableSource(helper)
  const { stdout } = await startRun(helper, source, { argv }).outcome
  const now = Date.now()
  const times = { minted: now - 2_700_000, expiresAt: now + 900_000, earlyFraction: 0.99 }
  await editEntries(source, (entry) => ({ ...entry, ...times }))
  const asked = source.asked()
  const run = async (...more: string[]) => {
    const { status, stdout: text, stderr } = await startRun(helper, source, { argv: [...argv, ...more] }).outcome
    return { status, token: status === 0 ? tokenOf(text) : '', stderr }
  }
  return { source, run, asked: () => source.asked() - asked, kept: tokenOf(stdout) }
}

const silent = { status: 0, stderr: '' }

test('twelve runs at once renew a token early with one mint', async () => {
  const { source, run, asked, kept } = await startDue()
  source.delay(200)
  const { statuses, tokens, said } = await summarize(startRuns(12, helper, source, { argv }))
  const last = await run()
  const others = tokens.filter((token) => token !== kept && token !== last.token)
  expect({ statuses, said, others, isRenewed: last.token !== kept, asked: asked() }).toEqual({
    statuses: ['0'],
    said: [''],
    others: [],
    isRenewed: true,
    asked: 1,
  })
})

test.each([
  ['refuses', 'refuse'],
  ['is overloaded', 'refuseBriefly'],
] as const)('a source that %s is asked once, and the kept token is printed', async (_, refuse) => {
  const { source, run, asked, kept } = await startDue()
  source[refuse]()
  const runs = [await run(), await run()]
  const askedMeanwhile = asked()
  source.delay(0)
  const later = await run('--client-ttl', '3500')
  expect({ runs, asked: askedMeanwhile, isRenewed: later.token !== kept }).toEqual({
    runs: Array(2).fill({ ...silent, token: kept }),
    asked: 1,
    isRenewed: true,
  })
})

test('a run does not wait for a stopped process that holds the lock', async () => {
  const { source, run, kept } = await startDue()
  source.hangOnce()
  // Its client needs a longer life than the kept token has left. A refresh this early would mean that the token was refused.
  const holder = startRun(helper, source, { argv: ['--client-ttl', '3500'] })
  await untilHeld(source)
  holder.kill('SIGSTOP')
  const begin = performance.now()
  expect(await run()).toEqual({ ...silent, token: kept })
  expect(performance.now() - begin).toBeLessThan(20_000)
})

test('a run follows its own option, but serves no token that is shorter than the client needs', async () => {
  const { run, kept } = await startDue()
  expect(await run('--renew-early', '0')).toEqual({ ...silent, token: kept })
  expect((await run('--renew-early', '0', '--client-ttl', '850')).token).not.toBe(kept)
})

test('--explain says from when on this machine renews a token', async () => {
  const { source } = await startDue()
  const { stdout } = await startRun(helper, source, { argv: [...argv, '--explain', '--renew-early', '10'] }).outcome
  expect(
    stdout
      .split('\n')
      .at(-2)
      ?.replace(/20\S+Z/, 'DATE'),
  ).toBe('  renewed from DATE on, 5 min early on this machine')
})
