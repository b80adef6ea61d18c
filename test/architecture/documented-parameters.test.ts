import { expect, test } from 'vitest'
import { parse, product, type SourceFile, scripts } from './source-files.ts'

test('every @param of a comment names a parameter of what stands below it', () => {
  expect([...product, ...scripts].flatMap(listStrangeParameters)).toEqual([])
})

test('a @param without its parameter is found above a function, a method and a member', () => {
  const text = `
/** @param given The call. @param key The key. */
async function mint({ key }: Parts, call: Call) {}

/**
 * Finds one.
 * @param all The places.
 * @param where A place.
 */
export function findOne(
  all: readonly Place[],
  { fits = (place: Place) => true }: Options,
): Place | undefined {
  return where(all)
}

interface Finder {
  /** @param wanted Its name. */
  find(wanted: string): void
  /** @param name Its name. */
  readonly look: (text: string) => void
}
`
  expect(listStrangeParameters(parse('made-up.ts', text))).toEqual([
    'made-up.ts: given',
    'made-up.ts: where',
    'made-up.ts: name',
  ])
})

function listStrangeParameters({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] {
  return [...text.matchAll(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/g)].flatMap(({ 0: comment, index }) => {
    const names = [...comment.matchAll(/@param (?<name>\w+)/g)].map(({ groups }) => groups!.name!)
    if (names.length === 0) return []
    const parameters = cutParameters(text.slice(index + comment.length))
    return names.filter((name) => !new RegExp(`\\b${name}\\b`).test(parameters)).map((name) => `${path}: ${name}`)
  })
}

/** Returns the text between the first parentheses, those within it included. */
function cutParameters(text: string): string {
  let depth = 0
  const begin = text.indexOf('(')
  for (let at = begin; at < text.length; at++) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return text.slice(begin, at)
  }
  return ''
}
