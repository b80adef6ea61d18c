import { expect, test } from 'vitest'
import { renderExamination } from '../../../src/cli/doctor/report.ts'
import type { Part } from '../../../src/client/examination.ts'

const parts: Part[] = [
  {
    part: 'identity',
    outcome: 'bad',
    lines: ['✗ it failed', '! it will', '✓ it is', '? who knows', '  ! a detail'],
    hint: 'do it',
  },
]

test('on a terminal the marks are coloured, and nothing of a line that only looks like one', () => {
  expect(renderExamination(parts, (style, text) => `<${style} ${text}>`)).toBe(`\
<bad bad >  <strong The identity behind it>
    <bad ✗> it failed
    <caution !> it will
    <strong ✓> it is
    <caution ?> who knows
      ! a detail
    → do it

Not all is well.
`)
})
