import { onTestFinished, vi } from 'vitest'

/**
 * Timers of this process stand still for one test, until `vi.advanceTimersByTime` moves them: what waits for one waits as long as the
 * test says, on a slow machine as on a fast one. Those of `node:timers/promises`, of servers and of children run on.
 */
export function useFakeTimers(which: 'timeouts' | 'timeouts and intervals' = 'timeouts'): void {
  const intervals = which === 'timeouts' ? [] : (['setInterval', 'clearInterval'] as const)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', ...intervals] })
  onTestFinished(() => void vi.useRealTimers())
}
