import { expect, test } from 'vitest'
import { product, type SourceFile, scripts, tests } from './source-files.ts'

test('no object spreads a literal: its members stand in the object itself', () => {
  const others = tests.filter(({ path }) => path !== 'test/architecture/spread-literals.test.ts')
  expect([...product, ...scripts, ...others].flatMap(findSpreadLiterals)).toEqual([])
})

test('a spread literal is found in an object and in an element', () => {
  const text = `
const parts = { ...{ host, call }, now }
const Page = () => <Row {...{ host }} />
const copy = { ...parts, ...(now && { now }) }
`
  expect(findSpreadLiterals({ path: 'made-up.tsx', text })).toEqual(['made-up.tsx:2', 'made-up.tsx:3'])
})

function findSpreadLiterals({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] {
  return text.split('\n').flatMap((line, at) => (/\.\.\.\s*\{/.test(line) ? [`${path}:${at + 1}`] : []))
}
