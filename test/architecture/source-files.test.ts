import { describe, expect, test } from 'vitest'
import { parse, uses } from './source-files.ts'

/** The rules are only as good as the eyes of this test. */
describe('the reader of sources sees', () => {
  const file = parse(
    'src/client/example.ts',
    `import { a } from './a.ts'
import type { B } from '../helper/b.ts'
import {
  type C,
  type D,
} from '../gateway/c.ts'
import { type E, f } from '../cli/e.ts'
import './effect.ts'
export * from './g.ts'
export type { H } from "./h.ts"
// import { no } from './comment.ts'; process.exit(); console.log()
const text = 'process.exit() console.log()'
type I = import('./i.ts').I
const later = async () => (await import('./j.ts')).k
const local = (process: { argv: string[] }) => process.argv
export const used = [a, f, text, later, local]
export interface T extends B, C, D, E, I {}
`,
  )

  test('every form of import, and whether it is only of types', () => {
    expect(file.imports).toEqual([
      { specifier: './a.ts', kind: 'value' },
      { specifier: '../helper/b.ts', kind: 'type' },
      { specifier: '../gateway/c.ts', kind: 'type' },
      { specifier: '../cli/e.ts', kind: 'value' },
      { specifier: './effect.ts', kind: 'value' },
      { specifier: './g.ts', kind: 'value' },
      { specifier: './h.ts', kind: 'type' },
      { specifier: './i.ts', kind: 'type' },
      { specifier: './j.ts', kind: 'value' },
    ])
  })

  test('a global that is used, but not a comment, a text or a parameter of its name', () => {
    const own = ['export const a = () => process.pid', 'export const a = globalThis.process.pid', 'console.log(1)']
    const found = [file, ...own.map((text) => parse('x.ts', text))].map((each) =>
      (['process', 'console'] as const).filter((name) => uses(each, name)),
    )
    expect(found).toEqual([[], ['process'], ['process'], ['console']])
  })
})
