import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CalendarQueue } from '../../../src/fleet/day/simulate-fleet.ts'

const seconds = 5

test('a queue gives each second the desktops that were added for it, however often they come and go', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.integer({ min: 0, max: seconds - 1 }), { maxLength: 60 })), (rounds) => {
      const queue = new CalendarQueue(seconds, 60)
      for (const round of rounds) {
        for (const [desktop, second] of round.entries()) queue.add(second, desktop)
        const taken = Array.from({ length: seconds }, (_, second) => takeAll(queue, second))
        expect(taken.map((desktops) => desktops.toSorted((a, b) => a - b))).toEqual(
          Array.from({ length: seconds }, (_, second) =>
            [...round.keys()].filter((desktop) => round[desktop] === second),
          ),
        )
      }
    }),
  )
})

function takeAll(queue: CalendarQueue, second: number): number[] {
  const batch = new Int32Array(15) // as many as a page of the queue has
  const all: number[] = []
  for (let count = queue.take(second, batch); count > 0; count = queue.take(second, batch))
    all.push(...batch.subarray(0, count))
  return all
}
