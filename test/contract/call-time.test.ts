import { describe, expect, test } from 'vitest'
import type { HelperContext } from '../../src/contract/context.ts'
import { computeHelperTimeoutSec } from '../../src/contract/freshness.ts'

describe('the longest wait of a client', () => {
  test.each<[timeoutSec: number | undefined, context: HelperContext, seconds: number]>([
    [undefined, 'interactive', 60],
    [undefined, 'mid-session-refresh', 20],
    [600, 'interactive', 600],
    [600, 'scheduled-task', 600],
    [600, 'setup-test', 600],
    [600, 'background', 600],
    [600, 'mid-session-refresh', 20],
    [20, 'mid-session-refresh', 20],
    [19, 'mid-session-refresh', 19],
    [1, 'mid-session-refresh', 1],
  ])('timeoutSec %s in %s is %s s', (timeoutSec, context, seconds) => {
    expect(computeHelperTimeoutSec(timeoutSec === undefined ? {} : { timeoutSec }, context)).toBe(seconds)
  })
})
