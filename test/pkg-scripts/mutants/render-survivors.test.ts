import { expect, test } from 'vitest'
import { renderSurvivors } from '../../../pkg-scripts/mutants/render-survivors.ts'

const mutant = (status: string, line: number, replacement?: string, fileName = 'src/a.ts') => ({
  status,
  fileName,
  replacement,
  location: { start: { line, column: 3 } },
  mutatorName: 'BlockStatement',
})

test('survivors are listed by place, and all mutants but those that were left out are counted', () => {
  const mutants = [
    mutant('Survived', 2, '{}', 'src/b.ts'),
    mutant('NoCoverage', 20),
    mutant('NoCoverage', 11),
    mutant('NoCoverage', 20),
    mutant('Survived', 12, 'if (x) {\n  y()\n}'),
    mutant('Survived', 9),
    ...['Killed', 'Timeout', 'RuntimeError', 'Ignored'].map((status) => mutant(status, 1, 'false')),
  ]
  expect(renderSurvivors(mutants).split('\n')).toEqual([
    'src/a.ts:9:3  BlockStatement: ',
    'src/a.ts:12:3  BlockStatement: if (x) { y() }',
    'src/a.ts: no test runs line 11, 20',
    'src/b.ts:2:3  BlockStatement: {}',
    '3 of 9 mutants survived; no test runs 3 more',
    '',
  ])
})
