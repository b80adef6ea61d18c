import { expect, test } from 'vitest'
import { parse, product, type SourceFile, scripts } from './source-files.ts'

test('a file begins with what it exports: a reader who opens it by its name sees that first', () => {
  expect([...product, ...scripts].flatMap(findPiecesAboveExports)).toEqual([])
})

test('above the first export, only a type that another one above it mentions is found', () => {
  const text = `
/** These settings begin with {@link Early}. */
export interface Settings {
  readonly part: Part
}
interface Part {
  readonly name: string
}
interface Early {}
function help(): void {}
export function begin(settings: Settings, early: Early): void {
  help()
}
`
  expect(findPiecesAboveExports(parse('made-up.ts', text))).toEqual(['made-up.ts: Early', 'made-up.ts: help'])
})

/** The functions above the first export that is no type, and the types there that nothing above them mentions. */
function findPiecesAboveExports({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] {
  if (path.endsWith('.d.ts')) return []
  const code = hideComments(text)
  const above = code.slice(0, /^export (?!type |interface )/m.exec(code)?.index ?? 0)
  const pieces = above.matchAll(/^(?:async )?(?:function\*?|interface|type) *(?<name>\w+)/gm)
  return [...pieces].flatMap(({ 0: beginning, index, groups }) => {
    const isFunction = beginning.includes('function')
    const isMentioned = new RegExp(`\\b${groups!.name}\\b`).test(above.slice(0, index))
    return isFunction || !isMentioned ? [`${path}: ${groups!.name}`] : []
  })
}

test('a limit stands below what it limits: a number above the first exported function or class tells a reader nothing yet', () => {
  expect([...product, ...scripts].flatMap(findEarlyNumbers)).toEqual([])
})

test('a number that something above the first export is computed from may stand there', () => {
  const text = `
const early = 5
const base = 2 * 60
export const limits = { sec: base }
export class Room {}
const late = 7
`
  expect(findEarlyNumbers(parse('made-up.ts', text))).toEqual(['made-up.ts: early'])
})

/** The private numbers above the first exported function or class that nothing else above it needs. */
function findEarlyNumbers({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] {
  const code = hideComments(text)
  const above = code.slice(
    0,
    /^export (?:default )?(?:async )?(?:function|(?:abstract )?class)\b/m.exec(code)?.index ?? 0,
  )
  const numbers = above.matchAll(/^const (?<name>\w+) = \d[\d_.*+/ ]*$/gm)
  return [...numbers].flatMap(({ groups }) => {
    const isNeeded = above.match(new RegExp(`\\b${groups!.name}\\b`, 'g'))!.length > 1
    return isNeeded ? [] : [`${path}: ${groups!.name}`]
  })
}

/** The code with comments of the same length and without words. */
function hideComments(text: string): string {
  return text.replace(/^\s*\/\*\*[\s\S]*?\*\/$|\/\/ .*$/gm, (comment) => comment.replace(/\w/g, ' '))
}

test('a private function stands below the first that uses it: a reader meets each piece after what it is for', () => {
  const found = [...product, ...scripts].flatMap(findEarlyPieces)
  // Functions of the script that nginx runs, in a text.
  const path = 'src/cli/gateway/recipes/nginx-njs-recipe.ts'
  expect(found).toEqual([`${path}: verify`, `${path}: refuse`])
})

test('a piece above its first use is found; one above a later use and the name of a property are not', () => {
  const text = `
export function first(): void {
  shared()
}
function shared(): void {}
/** Used by {@link second}. */
function early(): string[] {
  return []
}
function label(): string {
  return 'label'
}
function second(): void {
  shared()
  console.log([...early()], { label: 1 }.label)
}
`
  expect(findEarlyPieces(parse('made-up.ts', text))).toEqual(['made-up.ts: early'])
})

/** The private functions of a file that nothing above them uses, and something below does. */
function findEarlyPieces({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] {
  const code = hideComments(text)
  const declaration =
    /^(?:export )?(?:default )?(?:async )?(?<kind>function\*?|const|let|class|interface|type) (?<name>\w+)/gm
  const starts = [...code.matchAll(declaration)]
  const pieces = starts.map(({ index, 0: beginning, groups }, at) => ({
    name: groups!.name!,
    isPrivateFunction: /^(?:async )?function/.test(beginning),
    body: /^(interface|type)$/.test(groups!.kind!) ? '' : code.slice(index + beginning.length, starts[at + 1]?.index),
  }))
  const early = pieces.filter(({ name, isPrivateFunction }, at) => {
    if (!isPrivateFunction) return false
    const use = new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${name}\\b(?!\\??:)`)
    return pieces.findIndex(({ body }, other) => other !== at && use.test(body)) > at
  })
  return early.map(({ name }) => `${path}: ${name}`)
}
