import { expect, test } from 'vitest'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { chooseProgramDeadline } from '../../../src/sources/program/choose-deadline.ts'

/** A call that has taken a second. */
const callOf = (seconds: number) => new Deadline({ seconds, hint: 'h' }, { elapsedMs: () => 1000 })

test('a program has the time of its call, and of a short one also for what the call can do without', () => {
  const [long, short] = [callOf(58), callOf(19)]
  expect(chooseProgramDeadline({ deadline: long })).toBe(long)
  expect(chooseProgramDeadline({ deadline: short.shorten(5) })).toBe(short)
})

test('for what a long call can do without it has as long as in mid-session-refresh', () => {
  const deadline = callOf(58).shorten(5)
  expect(chooseProgramDeadline({ deadline }).limit).toEqual({ seconds: 19, hint: 'h', words: '18 s' })
})
