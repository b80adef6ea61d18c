import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { parseScenario } from '../../../src/client/simulation/parse-scenario.ts'
import { parseStep } from '../../../src/client/simulation/parse-step.ts'
import { planScenario } from '../../../src/client/simulation/plan-scenario.ts'
import type { Step } from '../../../src/client/simulation/scenario.ts'

describe('a step', () => {
  test.each<[text: string, step: Step]>([
    ['start', { type: 'start', windows: [1] }],
    ['window 2 start', { type: 'start', windows: [2] }],
    ['turn', { type: 'turn', windows: [1] }],
    ['  turn   every 5m  for 8h ', { type: 'turn', windows: [1], repeated: { everySec: 300, forSec: 28_800 } }],
    ['windows 2-4 turn', { type: 'turn', windows: [2, 3, 4] }],
    ['windows 1-50 start', { type: 'start', windows: Array.from({ length: 50 }, (_, index) => index + 1) }],
    ['wait 30m', { type: 'wait', forSec: 1800 }],
    ['sleep 2h', { type: 'sleep', forSec: 7200 }],
    ['revoke', { type: 'revoke' }],
    ['relaunch', { type: 'relaunch' }],
    ['probe', { type: 'probe' }],
    ['setup test', { type: 'setup-test' }],
    ['scheduled task', { type: 'scheduled-task' }],
    ['scheduled task every 1h for 8h', { type: 'scheduled-task', repeated: { everySec: 3600, forSec: 28_800 } }],
    ['person away', { type: 'person', is: 'away' }],
    ['network down 10m', { type: 'effect', effect: { of: 'network' }, forSec: 600 }],
    ['gateway answers 403 for 10m', { type: 'effect', effect: { of: 'gateway', status: 403 }, forSec: 600 }],
    ['gateway answers 503 for 10m', { type: 'effect', effect: { of: 'gateway', status: 503 }, forSec: 600 }],
    ['stream silent 4m for 1h', { type: 'effect', effect: { of: 'stream', silentSec: 240 }, forSec: 3600 }],
    ['helper takes 15s for 1h', { type: 'effect', effect: { of: 'helper', takesSec: 15 }, forSec: 3600 }],
  ])('%j is read', (text, step) => {
    expect(parseStep(text)).toEqual(step)
  })

  test.each<[text: string, problem: string]>([
    [
      'turn evry 5m for 8h',
      '"turn evry 5m for 8h" is not a step; did you mean "turn", "turn every DURATION for DURATION"',
    ],
    ['wait 30', '"30" is not a duration; write 30s, 5m, 8h, 1h30m or 2d'],
    ['gateway answers 418 for 10m', '"418" is not one of 401, 403, 429, 500, 503, 529'],
    ['person asleep', '"asleep" is not one of agrees, declines, away'],
    ['window 2 revoke', '"revoke" does not belong to a window: remove the windows'],
    ['windows 4-2 turn', 'windows are numbered from 1 to 50, the lower number first'],
    ['window 0 turn', 'windows are numbered from 1 to 50, the lower number first'],
    ['window 51 turn', 'windows are numbered from 1 to 50, the lower number first'],
  ])('%j is refused', (text, problem) => {
    expect(parseStep(text)).toBe(problem)
  })

  test('that is unknown is refused with the list of all steps', () => {
    expect(parseStep('dance')).toBe(
      '"dance" is not a step; steps are "start", "turn", "turn every DURATION for DURATION", "scheduled task", "scheduled task every DURATION for DURATION", "wait DURATION", "sleep DURATION", "relaunch", "revoke", "revoke sign-in", "probe", "setup test", "network down DURATION", "provider down DURATION", "bootstrap down DURATION", "bootstrap answers [401|403|503] for DURATION", "gateway answers [401|403|429|500|503|529] for DURATION", "stream silent DURATION for DURATION", "helper takes DURATION for DURATION", "person [agrees|declines|away]"',
    )
  })
})

describe('a scenario', () => {
  const steps: Step[] = [
    { type: 'start', windows: [1] },
    { type: 'turn', windows: [1] },
  ]
  const values = { 'inference.credential.ttlSec': 60, 'inference.customHeaders': null, expiresAt: '30m' }

  test.each<[what: string, text: string, scenario: object]>([
    ['may be a mere list', '- start\n- turn\n', { summary: '', document: {}, steps }],
    ['may be JSON', '["start", "turn"]', { summary: '', document: {}, steps }],
    [
      'may have a summary and a document',
      'summary: a day\ndocument: {inference.credential.ttlSec: 60, inference.customHeaders: null, expiresAt: 30m}\nsteps: [start, turn]',
      { summary: 'a day', document: values, steps },
    ],
    [
      'may change the document',
      '- document changes:\n    inference.credential.args: [a, b]\n',
      {
        summary: '',
        document: {},
        steps: [{ type: 'document-changes', values: { 'inference.credential.args': ['a', 'b'] } }],
      },
    ],
  ])('%s', (_, text, scenario) => {
    expect(parseScenario(text)).toEqual({ ok: true, scenario })
  })

  test('reports all of its problems at once, each with its line', () => {
    const text = [
      'summary: [1]',
      'titel: x',
      'document:',
      '  inference.credential.ttl: 5',
      'steps:',
      '  - start',
      '  - jump',
      '  - wait 5',
      '  - 7',
      '  - document changes: soon',
      '  - document changes: {inference.base: x}',
      '  - start: now',
    ].join('\n')
    const parsed = parseScenario(text)
    expect(parsed.ok ? [] : parsed.problems.map(({ line, message }) => `${line} ${message.slice(0, 40)}`)).toEqual([
      '2 "titel" is not one of summary, kind, ser',
      '1 expected text as the summary',
      '4 "inference.credential.ttl" is not a fiel',
      '7 "jump" is not a step; steps are "start",',
      '8 "5" is not a duration; write 30s, 5m, 8h',
      '9 a step is one line of words',
      '10 expected fields with their values, such ',
      '11 "inference.base" is not a field of a doc',
      '12 a step is one line of words, or "documen',
    ])
  })

  test.each<[what: string, text: string, problem: object]>([
    ['nothing', '', { line: 1, message: 'expected a list of steps, or a mapping with "steps"' }],
    ['a word', 'start', { line: 1, message: 'expected a list of steps, or a mapping with "steps"' }],
    ['no steps', 'summary: x', { line: 1, message: '"steps" is missing' }],
    ['an empty list', 'steps: []', { line: 1, message: 'expected at least one step' }],
    ['steps that are no list', 'steps: start', { line: 1, message: 'expected a list in "steps"' }],
    ['broken YAML', '- start\n- [turn\n', { line: 3, message: 'not valid YAML (BAD_INDENT)' }],
  ])('of %s is refused', (_, text, problem) => {
    expect(parseScenario(text)).toEqual({ ok: false, problems: [problem] })
  })
})

describe('the page of simulate', () => {
  const page = readFileSync(join(root, 'docs/simulate.md'), 'utf8')

  test('shows a scenario that can be played', () => {
    const parsed = parseScenario(/^```yaml\n(.*?)^```$/ms.exec(page)?.[1] ?? '')
    expect(parsed).toEqual({
      ok: true,
      scenario: {
        summary: 'a long lunch, and a new document after it',
        document: { 'inference.credential.ttlSec': 1800 },
        steps: [
          { type: 'start', windows: [1] },
          { type: 'start', windows: [2, 3] },
          { type: 'turn', windows: [1, 2, 3], repeated: { everySec: 300, forSec: 10800 } },
          { type: 'sleep', forSec: 5400 },
          { type: 'document-changes', values: { 'inference.credential.timeoutSec': 30 } },
          { type: 'turn', windows: [1], repeated: { everySec: 600, forSec: 7200 } },
        ],
      },
    })
    expect(parsed.ok && planScenario(parsed.scenario)).toBeInstanceOf(Array)
  })

  const forms = String(parseStep('dance'))
    .split('; steps are ')[1]!
    .match(/(?<=")[^",]+(?=")/g)!

  test.each(forms)('names the step "%s" by an example', (form) => {
    const pattern = form.replaceAll('DURATION', '\\w+').replaceAll(/\[([^\]]+)\]/g, '(?:$1)')
    expect(page.match(new RegExp(`^\\|.*\`${pattern}\`.*\\|`, 'gm')) ?? []).not.toEqual([])
  })
})
