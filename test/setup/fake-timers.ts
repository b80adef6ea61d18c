import { onTestFinished, vi } from 'vitest'

/**
 * Timers of this process stand still for one test, until `vi.advanceTimersByTime` moves them: what waits for one waits as long as the
 * test says, on a slow machine as on a fast one. Those of `node:timers/promises`, of servers and of children run on.
 */
export function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}
