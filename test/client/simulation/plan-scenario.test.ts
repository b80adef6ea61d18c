import { expect, test } from 'vitest'
import { parseScenario } from '../../../src/client/simulation/parse-scenario.ts'
import { planScenario } from '../../../src/client/simulation/plan-scenario.ts'

/** Returns the plan of these steps as `second type detail`. */
function plan(...steps: readonly string[]): string[] | string {
  const parsed = parseScenario(JSON.stringify(steps))
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message)
  const tasks = planScenario(parsed.scenario)
  if (typeof tasks === 'string') return tasks
  return tasks.map(({ atSec, action }) =>
    [atSec, action.type, 'window' in action ? action.window : ''].join(' ').trim(),
  )
}

test('steps that take time follow each other, and others happen at once', () => {
  expect(plan('start', 'turn every 5m for 15m', 'revoke', 'wait 1m', 'turn', 'sleep 1h', 'turn')).toEqual([
    '0 start 1',
    '0 turn 1',
    '300 turn 1',
    '600 turn 1',
    '900 revoke',
    '960 turn 1',
    '960 sleep',
    '4560 awake',
    '4560 turn 1',
    '4560 end',
  ])
})

test('an effect lasts while later steps go on, and is over before what happens at its end', () => {
  expect(plan('start', 'network down 10m', 'turn every 5m for 10m', 'turn')).toEqual([
    '0 start 1',
    '0 effect-begins',
    '0 turn 1',
    '300 turn 1',
    '600 effect-ends',
    '600 turn 1',
    '600 end',
  ])
})

test('several windows do the same at the same moment', () => {
  expect(plan('windows 1-2 turn every 1m for 2m')).toEqual([
    '0 turn 1',
    '0 turn 2',
    '60 turn 1',
    '60 turn 2',
    '120 end',
  ])
})

test('a step every ten minutes for fifteen minutes happens twice', () => {
  expect(plan('scheduled task every 10m for 15m')).toEqual(['0 scheduled-task', '600 scheduled-task', '900 end'])
})

test('a scenario beyond the limits is refused before it is planned', () => {
  expect(plan('windows 1-50 turn every 1s for 9d')).toBe('the scenario has more than 5000 turns and other tasks')
})
