import { expect, test } from 'vitest'
import { helperContexts } from '../../../src/contract/context.ts'
import { computeCallLimit } from '../../../src/helper/run/call-settings.ts'

const raise = "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here"
const clamped = 'find out why it is slow; in mid-session-refresh a client waits 20 s, whatever its timeoutSec'

test.each<[timeoutSec: number, seconds: number, hint: string]>([
  [60, 18, clamped],
  [600, 18, clamped],
  [21, 18, clamped],
  [20, 18, raise],
  [10, 8, raise],
  [3, 1, raise],
])('in mid-session-refresh a client that waits %s s leaves %s s', (timeoutSec, seconds, hint) => {
  expect(computeCallLimit('mid-session-refresh', timeoutSec)).toEqual({ seconds, hint })
})

const others = helperContexts.filter((context) => context !== 'mid-session-refresh')
test.each([...others, 'terminal', 'unknown'] as const)('in %s the client’s timeout alone decides', (context) => {
  expect([3, 20, 60, 600].map((timeoutSec) => computeCallLimit(context, timeoutSec))).toEqual(
    [1, 18, 58, 598].map((seconds) => ({ seconds, hint: raise })),
  )
})
