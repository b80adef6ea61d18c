import { expect, test } from 'vitest'
import { createMemoryReplayStore } from '../../../src/verify/replay/memory-replay-store.ts'
import { TokenRefusal } from '../../../src/verify/verdict.ts'

const start = Date.UTC(2026, 0, 1)

function createStore(entries: number) {
  const clock = { now: start }
  return { clock, store: createMemoryReplayStore({ now: () => clock.now, entries }) }
}

const full = new TokenRefusal('replay-store-unavailable', {
  note: 'the memory for used tokens is full (2): raise its bound, or use Redis',
})

test('the first use of a digest is the first, and every later one comes again', async () => {
  const { store } = createStore(10)
  const uses = await Promise.all(['a', 'b', 'a', 'a', 'b'].map((digest) => store.use(digest, start + 60_000)))
  expect(uses).toEqual(['first', 'first', 'again', 'again', 'again'])
})

test('a full store refuses new tokens and still knows the old ones', async () => {
  const { store } = createStore(2)
  await store.use('a', start + 60_000)
  await store.use('b', start + 60_000)
  await expect(store.use('c', start + 60_000)).rejects.toEqual(full)
  expect(await store.use('a', start + 60_000)).toBe('again')
})

test('a digest outlives its token by five minutes, and makes room then', async () => {
  const { clock, store } = createStore(2)
  await store.use('short', start + 20_000)
  await store.use('long', start + 600_000)
  const use = (digest: string, endsAt = start + 600_000) => store.use(digest, endsAt).catch((refusal) => refusal)
  clock.now = start + 319_999
  const before = [await use('short', start + 20_000), await use('next')]
  clock.now = start + 330_000
  expect({ before, after: [await use('next'), await use('long'), await use('more')] }).toEqual({
    before: ['again', full],
    after: ['first', 'again', full],
  })
})

test('a clock that is set back brings no digest back into use', async () => {
  const { clock, store } = createStore(2)
  clock.now = start + 300_000
  await store.use('a', start + 360_000)
  clock.now = start
  expect(await store.use('a', start + 360_000)).toBe('again')
})

test('a clock that was far ahead, and is right again, leaves the store as it was before', async () => {
  const { clock, store } = createStore(2)
  clock.now = start + 10 * 365 * 24 * 3_600_000
  await store.use('in ten years', clock.now + 60_000)
  clock.now = start
  await store.use('a', start + 60_000)
  await expect(store.use('b', start + 60_000)).rejects.toEqual(full)
  clock.now = start + 400_000
  expect(await store.use('b', start + 460_000)).toBe('first')
})

test('twenty thousand tokens, one after another, fit into a store of four thousand', async () => {
  const { clock, store } = createStore(4_000)
  const uses = { first: 0, again: 0 }
  for (let count = 0; count < 20_000; count += 1) {
    clock.now = start + count * 100
    uses[await store.use(`token ${count}`, clock.now + 60_000)] += 1
  }
  expect(uses).toEqual({ first: 20_000, again: 0 })
})
