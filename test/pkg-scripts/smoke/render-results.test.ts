import { expect, test } from 'vitest'
import { renderLine, renderSummary } from '../../../pkg-scripts/smoke/render-results.ts'
import type { SmokeResult } from '../../../pkg-scripts/smoke/run-steps.ts'

const results: SmokeResult[] = [
  { name: 'install', outcome: 'passed', words: '10 names', ms: 1234 },
  { name: 'powershell', outcome: 'skipped', words: 'this is not Windows', ms: 0 },
  { name: 'mint', outcome: 'failed', words: 'a call:\n  stdout is "<a|b\\n"', ms: 61_000 },
]

test('each step is a line with its time', () => {
  expect(results.map(renderLine)).toEqual([
    'ok      install       1.2 s  10 names',
    '-       powershell    0.0 s  this is not Windows',
    'FAILED  mint         61.0 s  a call:\n  stdout is "<a|b\\n"',
  ])
})

test('the summary is a table, whatever a program has printed', () => {
  expect(renderSummary('linux-x64', results)).toBe(`### linux-x64

| step | outcome | time | seen |
|---|---|---|---|
| install | passed | 1.2 s | 10 names |
| powershell | skipped | 0.0 s | this is not Windows |
| mint | failed | 61.0 s | a call:<br>stdout is "&lt;a\\|b\\\\n" |
`)
})
