import { expect, test } from 'vitest'
import { answerFromMemo, locateMemo } from '../../../src/helper/memo/answer-from-memo.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import { parseOutcome } from '../../../src/outcomes/parse-outcome.ts'
import { vendor } from '../../../src/vendor.ts'
import { version } from '../../../src/version.ts'
import { badge, startOutcomeDesk } from './desk.ts'

test.each([
  ['http://127.0.0.1:9', 1],
  ['', 0],
])('a call that its memo answers leaves, with the collector "%s", %i lines', async (endpoint, lines) => {
  const desk = await startOutcomeDesk()
  const now = Date.now() + 3_600_000
  const clock = { now: () => now, startedAt: now, elapsedMs: () => 12.4, bootedAt: now - 86_400_000 }
  const env = { [vendor.contextVariable]: 'background', GATEPASS_OTLP_ENDPOINT: endpoint }
  const host = await desk.createHost({ env, clock })
  const memo = locateMemo(host, { program: 'badge', build: 'b' })
  for (const _ of ['mints', 'leaves the memo']) await runHelper('badge', badge, host, { beginning: { memo } })
  const before = (await desk.readSpool()).length
  await (await answerFromMemo(host, memo))?.spool?.()
  expect((await desk.readSpool()).slice(before).map(parseOutcome)).toEqual(
    Array.from({ length: lines }, () => ({
      time: now,
      helper: 'badge',
      version,
      context: 'background',
      format: 'json',
      outcome: 'success',
      status: 0,
      ms: 12,
      origin: 'cache',
      source: 'command',
    })),
  )
})
