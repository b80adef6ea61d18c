import { expect, test } from 'vitest'
import { renderProgress, renderReport } from '../../src/cli/check-helper.ts'
import type { CheckReport } from '../../src/client/check/check-helper.ts'
import type { RuleVerdict } from '../../src/client/check/rules/rules.ts'

const row = (rule: RuleVerdict['rule'], verdict: RuleVerdict['verdict'], seen: string, hint?: string): RuleVerdict => ({
  rule,
  verdict,
  proves: 'what it proves',
  seen,
  ...(hint !== undefined && { hint }),
  page: `docs#${rule}`,
})

const report: CheckReport = {
  client: 'desktop',
  command: '/opt/helper',
  args: ['x'],
  result: 'failed',
  isFinished: true,
  verdicts: [
    row('exit-status', 'fail', 'it failed', 'fix it'),
    row('headers', 'not-applicable', 'skipped: exit-status failed'),
    row('starts', 'pass', 'it started'),
    row('quiet-stderr', 'warn', 'it spoke', 'be quiet'),
    row('bedrock-life', 'not-applicable', 'no key'),
    row('token-life', 'not-applicable', 'skipped: exit-status failed'),
  ],
  sets: ['PATH'],
  runs: 1,
  durationMs: 1234,
  limitSec: 180,
}

test('failed rules stand last in their colour, and rules that one reason left unchecked share a line', () => {
  expect(renderReport(report, (style, text) => `<${style}>${text}</>`)).toBe(`<strong>/opt/helper x</>
<quiet>set for its runs: PATH</>

<strong>pass</>  starts        it started
<quiet>n/a </>  2 rules       skipped: exit-status failed
<quiet>n/a </>  bedrock-life  no key
<caution>WARN  quiet-stderr  it spoke</>
      <quiet>expected: what it proves</>
      → be quiet
      <quiet>see docs#quiet-stderr</>
<bad>FAIL  exit-status   it failed</>
      <quiet>expected: what it proves</>
      → fix it
      <quiet>see docs#exit-status</>

6 rules: 1 passed, 1 warned, 1 failed, 3 not applicable. 1 run in 1 s.
`)
})

test.each(['failed', 'unfinished'] as const)(
  'the report says that its limit ended a check with the result %s',
  (result) => {
    const ended: CheckReport = { ...report, result, isFinished: false }
    const lines = renderReport(ended, (_, text) => text).split('\n')
    expect(lines.at(-2)).toEqual(
      '6 rules: 1 passed, 1 warned, 1 failed, 3 not applicable. 1 run in 1 s. Not finished: the limit is 180 s.',
    )
  },
)

const waiting = { title: 'with an open stdin', forSec: 3, atMostSec: 10 }

test.each([
  [[], '1 of 4 done'],
  [[waiting], '1 of 4 done; 3 of at most 10 s: a run with an open stdin'],
  [[waiting, waiting], '1 of 4 done; 3 of at most 10 s: 2 runs, one with an open stdin'],
])('progress is printed with the waiting runs %j', (waitingFor, line) => {
  expect(renderProgress({ done: 1, steps: 4, waitingFor })).toBe(line)
})
