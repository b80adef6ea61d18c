import { expect, test } from 'vitest'
import { retry } from '../../../src/runtime/network/retry.ts'

/** Sends until an outcome is final; every step in the order in which it happened. */
async function run(rules: Partial<Parameters<typeof retry<number>>[1]> = {}) {
  const steps: string[] = []
  let sent = 0
  const outcome = await retry(
    async () => {
      sent += 1
      steps.push(`send ${sent}`)
      return sent
    },
    {
      findPauseMs: (_, attempt) => attempt * 10,
      prepare: async (last, pauseMs) => {
        steps.push(`wait ${pauseMs} after ${last}`)
        return 'ready'
      },
      ...rules,
    },
  )
  return { outcome, steps }
}

test('a request is sent three times at most, with a pause before each repetition', async () => {
  expect(await run()).toEqual({
    outcome: 3,
    steps: ['send 1', 'wait 10 after 1', 'send 2', 'wait 20 after 2', 'send 3'],
  })
})

test('a final outcome is not followed by another attempt', async () => {
  expect(await run({ findPauseMs: () => undefined })).toEqual({ outcome: 1, steps: ['send 1'] })
  expect((await run({ findPauseMs: (last) => (last < 2 ? 0 : undefined) })).outcome).toBe(2)
})

test('an outcome is final if prepare finds nothing to send again', async () => {
  expect(await run({ prepare: async () => 'nothing to send' })).toEqual({ outcome: 1, steps: ['send 1'] })
})

test('an error that is not an outcome is thrown at once', async () => {
  const defect = new TypeError('x')
  await expect(
    retry(() => Promise.reject(defect), { findPauseMs: () => 0, prepare: async () => 'ready' }),
  ).rejects.toBe(defect)
})
