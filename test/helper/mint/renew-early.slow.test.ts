import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { readEntry } from '../../../src/helper/cache/entry.ts'
import type { Call } from '../../../src/helper/define-helper.ts'
import { give, hour, minted, type Run, served, startRenewalDesk } from './renewal-desk.ts'

test.concurrent('a slow server is waited for five seconds, and asked once', { timeout: 20_000 }, async ({ expect }) => {
  const { run } = await startRenewalDesk()
  const asks = ({ deadline }: Call) => deadline.during('network', 'asking', () => new Promise<never>(() => {}))
  const begin = performance.now()
  const { outcome, calls } = await run({ at: 8 * hour, mint: asks })
  const seconds = Math.round((performance.now() - begin) / 1000)
  const pauses = calls.map(({ deadline }) => deadline.longestPauseMs())
  expect({ outcome, seconds, pauses }).toEqual({ outcome: served(1), seconds: 5, pauses: [0] })
})

test.concurrent('work that would be lost is waited for, and its token is served', { timeout: 20_000 }, async ({
  expect,
}) => {
  const { run, location } = await startRenewalDesk()
  const uses: Run['mint'] = async (call, pass) => {
    await call.deadline.whole.during('network', 'using up a token', () => sleep(5500))
    return give('new', 18)(call, pass)
  }
  expect((await run({ at: 8 * hour, mint: uses })).outcome).toEqual(minted)
  expect((await readEntry(location))?.token.reveal()).toBe('new')
})
