import { expect, test } from 'vitest'
import { VirtualClock } from '../../../src/client/simulation/virtual-clock.ts'

test('rings in order, each timer at its own moment, and not those that were stopped', () => {
  const clock = new VirtualClock(1000)
  const rung: [string, number][] = []
  clock.startTimer(50, () => rung.push(['late', clock.now()]))
  clock.startTimer(20, () => {
    rung.push(['early', clock.now()])
    clock.startTimer(10, () => rung.push(['chained', clock.now()]))
  })
  const stop = clock.startTimer(30, () => rung.push(['stopped', clock.now()]))
  stop()
  clock.moveTo(1040)
  expect([rung, clock.now()]).toEqual([
    [
      ['early', 1020],
      ['chained', 1030],
    ],
    1040,
  ])
})

test('stands still until it is moved, and never goes back', () => {
  const clock = new VirtualClock(1000)
  const seen = [clock.now()]
  for (const to of [1040, 1010]) {
    clock.moveTo(to)
    seen.push(clock.now())
  }
  expect(seen).toEqual([1000, 1040, 1040])
})

test('names the next moment that somebody waits for, but not that of a mere timer', async () => {
  const clock = new VirtualClock(0)
  clock.startTimer(5, () => {})
  const seen = [clock.nextAwaited()]
  const abort = new AbortController()
  const waits = [clock.sleep(30), clock.sleep(10, abort.signal), clock.sleep(20)]
  seen.push(clock.nextAwaited())
  abort.abort()
  await waits[1]
  seen.push(clock.nextAwaited())
  clock.moveTo(30)
  await Promise.all(waits)
  expect([...seen, clock.nextAwaited()]).toEqual([undefined, 10, 20, undefined])
})
