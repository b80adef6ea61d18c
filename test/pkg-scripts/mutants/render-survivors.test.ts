import { expect, test } from 'vitest'
import { type Mutant, renderSurvivors } from '../../../pkg-scripts/mutants/render-survivors.ts'

const mutant = (status: string, line: number, replacement?: string, fileName = 'src/a.ts'): Mutant => ({
  ...{ status, fileName, replacement },
  location: { start: { line, column: 3 } },
  mutatorName: 'BooleanLiteral',
})

test('survivors are told by place, on one line each, and all mutants but those that were left out are counted', () => {
  const mutants = [
    mutant('Survived', 2, 'true', 'src/b.ts'),
    mutant('NoCoverage', 12, 'if (x) {\n  y()\n}'),
    mutant('Survived', 9),
    ...['Killed', 'Timeout', 'RuntimeError', 'Ignored'].map((status) => mutant(status, 1, 'false')),
  ]
  expect(renderSurvivors(mutants)).toBe(`src/a.ts:9:3  BooleanLiteral: 
src/a.ts:12:3  BooleanLiteral: if (x) { y() } (no test runs it)
src/b.ts:2:3  BooleanLiteral: true
3 of 6 mutants survived
`)
})
