import type { StartTimer } from './turn.ts'

/** A timer in real time. */
export const realTimer: StartTimer = (ms, ring) => {
  const timer = setTimeout(ring, ms)
  return () => clearTimeout(timer)
}
