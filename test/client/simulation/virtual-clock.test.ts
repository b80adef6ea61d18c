import { expect, test } from 'vitest'
import { VirtualClock } from '../../../src/client/simulation/virtual-clock.ts'

test('stands still until it is moved, and rings in order, each at its own moment', () => {
  const clock = new VirtualClock(1000)
  const rung: [string, number][] = []
  clock.startTimer(50, () => rung.push(['late', clock.now()]))
  clock.startTimer(20, () => {
    rung.push(['early', clock.now()])
    clock.startTimer(10, () => rung.push(['chained', clock.now()]))
  })
  const stop = clock.startTimer(30, () => rung.push(['stopped', clock.now()]))
  stop()
  expect(clock.now()).toBe(1000)
  clock.moveTo(1040)
  expect([rung, clock.now()]).toEqual([
    [
      ['early', 1020],
      ['chained', 1030],
    ],
    1040,
  ])
  clock.moveTo(1010)
  expect(clock.now()).toBe(1040)
})

test('knows for whose sake it should be moved: those who wait, and not mere timers', async () => {
  const clock = new VirtualClock(0)
  clock.startTimer(5, () => {})
  expect(clock.nextAwaited()).toBeUndefined()
  const abort = new AbortController()
  const waits = [clock.sleep(30), clock.sleep(10, abort.signal), clock.sleep(20)]
  expect(clock.nextAwaited()).toBe(10)
  abort.abort()
  await waits[1]
  expect(clock.nextAwaited()).toBe(20)
  clock.moveTo(30)
  await Promise.all(waits)
  expect(clock.nextAwaited()).toBeUndefined()
})
