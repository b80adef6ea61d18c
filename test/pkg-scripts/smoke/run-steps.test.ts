import { expect, test } from 'vitest'
import { runSteps } from '../../../pkg-scripts/smoke/run-steps.ts'
import type { SmokeStep } from '../../../pkg-scripts/smoke/steps/step.ts'
import { Skipped } from '../../../pkg-scripts/smoke/subject/findings.ts'
import type { SmokeSubject } from '../../../pkg-scripts/smoke/subject/subject.ts'

const subject = {} as SmokeSubject // these steps look at nothing
const pass = async () => 'seen'
const fail = async () => {
  throw new Error('wrong')
}
const skip = async () => {
  throw new Skipped('not here')
}

async function outcomesOf(steps: readonly SmokeStep[], required: readonly string[] = []) {
  const seen: string[] = []
  for await (const { name, outcome, words } of runSteps(steps, subject, required))
    seen.push(`${name} ${outcome}: ${words}`)
  return seen
}

test('steps run in order, and one that fails keeps no other from running', async () => {
  const steps = [
    { name: 'one', run: fail },
    { name: 'two', run: skip },
    { name: 'three', run: pass },
  ]
  expect(await outcomesOf(steps)).toEqual(['one failed: wrong', 'two skipped: not here', 'three passed: seen'])
})

const rest = [{ name: 'two', run: pass }]

test('nothing runs after a step has failed that all others need', async () => {
  expect(await outcomesOf([{ name: 'one', run: fail, isGround: true }, ...rest])).toEqual([
    'one failed: wrong',
    'two skipped: one failed',
  ])
})

test('the other steps run after a step for all of them does not apply', async () => {
  expect(await outcomesOf([{ name: 'one', run: skip, isGround: true }, ...rest])).toEqual([
    'one skipped: not here',
    'two passed: seen',
  ])
})

test('a step that is required and skipped has failed', async () => {
  expect(await outcomesOf([{ name: 'one', run: skip }], ['one'])).toEqual(['one failed: required, but not here'])
})
