import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { countAtOnce } from '../setup/count-at-once.ts'
import { listLongTestedHelpers } from '../setup/tested-helpers.ts'
import { waitUntil } from '../setup/wait-until.ts'
import { startCountableSource } from './countable-source.ts'
import { ageEntries, cacheIn, listCache, listKinds, startRun, startRuns, summarize, tokenOf } from './start-run.ts'

const refresh = 'mid-session-refresh'

/** The summary of a run that prints a token of its own. */
const served = { statuses: ['0'], tokens: [expect.any(String)], said: [''] }

describe.each(listLongTestedHelpers())('%s', (helper) => {
  test.each(['interactive', refresh] as const)(
    'in %s many runs at once are refused in the same words by a few requests',
    async (context) => {
      const source = await startCountableSource(helper)
      source.refuse()
      const runs = startRuns(countAtOnce(50), helper, source, { context })
      const { said, ...rest } = await summarize(runs)
      expect({ ...rest, said: said.length }).toEqual({ statuses: ['5'], tokens: [], said: 1 })
      expect(source.asked()).toBeLessThanOrEqual(3)
    },
  )

  test('many runs at once ask an overloaded source no more often than a few alone would', async () => {
    const source = await startCountableSource(helper)
    source.refuseBriefly()
    const { statuses, said } = await summarize([startRun(helper, source, { key: 1 })])
    const perMint = source.asked()
    expect(await summarize(startRuns(countAtOnce(50), helper, source))).toEqual({ statuses, tokens: [], said })
    expect(source.asked()).toBeLessThanOrEqual(4 * perMint)
  })

  test('they share the last token while it is valid, but not in a refresh', async () => {
    const source = await startCountableSource(helper)
    const token = tokenOf((await startRun(helper, source).outcome).stdout)
    await ageEntries(source, 60_000)
    source.refuseBriefly()
    const { said, ...calm } = await summarize(startRuns(20, helper, source))
    const alone = await summarize([startRun(helper, source, { context: refresh })])
    const many = await summarize(startRuns(20, helper, source, { context: refresh }))
    // If a source keeps its tokens itself, one mint gives the old token, and the other runs share it in silence.
    const [words, silence] = source.keepsLast
      ? ['going on with the stored tokens, which expire at', ['']]
      : ['serving the last token, which is good until', []]
    const warning = expect.stringMatching(new RegExp(`^.*warning: .*; ${words} .*\\n$`))
    expect({ calm, said: said.toSorted(), alone: alone.statuses, many }).toEqual({
      calm: { statuses: ['0'], tokens: [token] },
      said: [...silence, warning],
      alone: ['6'],
      many: alone,
    })
  })

  test('a run that starts after a refusal asks the source itself', async () => {
    const source = await startCountableSource(helper)
    source.refuse()
    const run = async () => ({ ...(await summarize([startRun(helper, source)])), asked: source.asked() })
    const first = await run()
    const second = await run()
    source.delay(0)
    const { asked: _, ...third } = await run()
    expect([first.statuses, first.asked, second, third]).toEqual([['5'], 1, { ...first, asked: 2 }, served])
  })

  test('a refusal from before the clock was set back is not shared', async () => {
    const source = await startCountableSource(helper)
    source.refuse()
    await startRun(helper, source).outcome
    const note = join(cacheIn(source), (await listCache(source)).find((name) => name.endsWith('.holder')) ?? 'no note')
    const { since, ...rest } = JSON.parse(await readFile(note, 'utf8')) as { since: number } // what holders write
    await writeFile(note, JSON.stringify({ ...rest, since: since + 3_600_000 }))
    source.delay(0)
    expect(await summarize([startRun(helper, source)])).toEqual(served)
    expect(await listKinds(source)).toEqual(['json', 'lock', 'served'])
  })

  test('a run that starts while another is being refused asks the source itself', async () => {
    const source = await startCountableSource(helper)
    source.refuseBriefly()
    const holder = startRun(helper, source)
    await waitUntil('the source is asked', () => source.asked() > 0)
    source.delay(0)
    expect(await summarize([startRun(helper, source)])).toEqual(served)
    await holder.outcome
  })

  test('a failure is not shared with other arguments or another environment', async () => {
    const source = await startCountableSource(helper)
    const deaf = { HTTPS_PROXY: 'socks5://127.0.0.1:1' }
    source.refuse()
    const others = [{ argv: ['--client-ttl', '1800'] }, { env: deaf }, { context: refresh }, {}] as const
    const runs = others.flatMap((parts) => startRuns(1, helper, source, parts))
    const { statuses, tokens } = await summarize(runs)
    expect({ statuses, tokens, asked: source.asked() }).toEqual({ statuses: ['5'], tokens: [], asked: others.length })
  })
})
