import type { StartTimer } from './turn.ts'

/** A timer in real time. */
export const startRealTimer: StartTimer = (ms, onTimeout) => {
  const timer = setTimeout(onTimeout, ms)
  return () => clearTimeout(timer)
}
