import { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ConnectionRoom } from '../../../src/verify/server/bounded-server.ts'

const limit = 4

interface Step {
  readonly does: 'enter' | 'begin' | 'rest' | 'close'
  readonly which: number
}

const steps = fc.array(
  fc.record<Step>({
    does: fc.constantFrom('enter', 'enter', 'begin', 'rest', 'close'),
    which: fc.nat({ max: 7 }),
  }),
  { maxLength: 40 },
)

test('the connection that is ended is the oldest of those that wait for their clients', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const room = new ConnectionRoom(limit)
      const sockets: Socket[] = []
      const model = createModel()
      for (const { does, which } of taken) {
        const at = which % Math.max(1, sockets.length)
        if (does === 'enter') room.enter(sockets[sockets.push(new Socket()) - 1]!)
        else if (sockets.length === 0) continue
        else if (does === 'close') sockets[at]!.destroy()
        else room[does](sockets[at]!)
        model[does](does === 'enter' ? sockets.length - 1 : at)
        await setImmediate() // a socket tells later that it is closed
      }
      expect(sockets.flatMap(({ destroyed }, index) => (destroyed ? [index] : []))).toEqual(model.listEnded())
    }),
    { numRuns: 1_000 },
  )
})

/** Creates the rule, with lists of numbers. */
function createModel() {
  const ended = new Set<number>()
  const lists = { open: [] as number[], silent: [] as number[], idle: [] as number[] }
  const leave = (which: number, ...names: (keyof typeof lists)[]) => {
    for (const name of names) lists[name] = lists[name].filter((other) => other !== which)
  }
  const close = (which: number) => {
    leave(which, 'open', 'silent', 'idle')
    ended.add(which)
  }
  const begin = (which: number) => leave(which, 'silent', 'idle')
  return {
    close,
    begin,
    enter(which: number) {
      lists.open.push(which)
      const { open, silent, idle } = lists
      if (open.length > limit) close((silent.length > idle.length ? silent : idle)[0] ?? which)
      if (!ended.has(which)) lists.silent.push(which)
    },
    rest(which: number) {
      begin(which)
      if (lists.open.includes(which)) lists.idle.push(which)
    },
    listEnded: () => [...ended].sort((a, b) => a - b),
  }
}

// A `Set` in place of the queues left 1.3 MB.
test('requests leave nothing in the old part of the heap', () => {
  const room = new ConnectionRoom(64)
  const sockets = Array.from({ length: 64 }, () => new Socket())
  for (const socket of sockets) room.enter(socket)
  const answer = (count: number) => {
    for (let at = 0; at < count; at += 1) {
      room.begin(sockets[at % 64]!)
      room.rest(sockets[at % 64]!)
    }
  }
  answer(10_000)
  const before = measureOldBytes()
  answer(3_000_000)
  expect(measureOldBytes() - before).toBeLessThan(100_000)
})

function measureOldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size
}
