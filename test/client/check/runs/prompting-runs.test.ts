import { expect, test } from 'vitest'
import { createPromptingRuns } from '../../../../src/client/check/runs/decoy-browsers.ts'

test('only a silent run that overlapped with an interactive one is marked', () => {
  const runs = createPromptingRuns()
  const before = runs.start(false)
  const alone = before()
  const silent = runs.start(false)
  const interactive = runs.start(true)
  const during = runs.start(false)
  const ends = [interactive(), silent(), during(), runs.start(false)()]
  expect([alone, ...ends]).toEqual([false, false, true, true, false])
})
