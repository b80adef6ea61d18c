import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createKeptValues } from '../../../src/gateway/store/kept-values.ts'
import { openState, type State, writeSetting } from '../../../src/gateway/store/state.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

function open(now: () => number = () => 0, file?: string): State {
  const state = openState({ now, ...(file !== undefined && { file }) })
  onTestFinished(() => state.close())
  return state
}

/** Keeps values that count how often they were derived. */
function start(state: State, most = 1000) {
  let derived = 0
  const kept = createKeptValues<number>(state, most)
  return (key = 'k', until = Number.POSITIVE_INFINITY, size = 10) =>
    kept(key, () => {
      derived += 1
      return { value: derived, until, size }
    })
}

test('a value is derived once for each key', () => {
  const ask = start(open())
  expect([ask('a'), ask('a'), ask('b'), ask('a'), ask('b')]).toEqual([1, 1, 2, 1, 2])
})

test('a value is derived again after each change of the state', () => {
  const state = open()
  const ask = start(state)
  const before = [ask(), ask()]
  writeSetting(state, 'a', 'b')
  expect([...before, ask(), ask()]).toEqual([1, 1, 2, 2])
})

test('a value is derived again after each change by another process', async () => {
  const file = join(await temporaryDirectory(), 'state.db')
  const [state, other] = [open(() => 0, file), open(() => 0, file)]
  const ask = start(state)
  const answers = [ask(), ask()]
  for (const [index, changed] of [other, other, state, other, state, state].entries()) {
    writeSetting(changed, 'a', String(index))
    answers.push(ask(), ask())
  }
  expect(answers).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7])
})

test('a value is derived again when its own time is over, to the millisecond', () => {
  let now = 0
  const ask = start(open(() => now))
  const at = (time: number) => {
    now = time
    return ask('k', 100)
  }
  expect([at(0), at(99), at(100), at(101)]).toEqual([1, 1, 2, 3])
})

test('a failure is not kept', () => {
  const kept = createKeptValues<number>(open(), 1000)
  const refused = new Error('refused')
  const fail = () => {
    throw refused
  }
  expect(() => kept('k', fail)).toThrow(refused)
  expect(kept('k', () => ({ value: 1, until: 1, size: 1 }))).toBe(1)
})

test('no more values are kept than fit, and a large one never', () => {
  const ask = start(open(), 100)
  // The value e is the fifth and does not fit: the others are given up for it.
  const small = ['a', 'b', 'c', 'a', 'd', 'e', 'e', 'a'].map((key) => ask(key, 1, 20))
  const large = [ask('large', 1, 30), ask('large', 1, 30)]
  expect({ small, large }).toEqual({ small: [1, 2, 3, 1, 4, 5, 5, 6], large: [7, 8] })
})
