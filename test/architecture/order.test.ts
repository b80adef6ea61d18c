import { expect, test } from 'vitest'
import { parse, product, type SourceFile, scripts } from './source-files.ts'
import { parseNodes, type SyntaxNode } from './syntax-tree.ts'

test('a file begins with what it exports: a reader who opens it by its name sees that first', () => {
  expect([...product, ...scripts].flatMap(findPiecesAboveExports)).toEqual([])
})

test('above the first export, only a type that no other one there mentions is found', () => {
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

/** Finds the functions above the first export that is no type, and the types there that nothing above them mentions. */
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

test('a number may stand above the first export where something else there is computed from it', () => {
  const text = `
const early = 5
const base = 2 * 60
export const limits = { sec: base }
export class Room {}
const late = 7
`
  expect(findEarlyNumbers(parse('made-up.ts', text))).toEqual(['made-up.ts: early'])
})

/** Finds the private numbers above the first exported function or class that nothing else above it needs. */
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

/** Returns the code with comments of the same length and without words. */
function hideComments(text: string): string {
  return text.replace(/^\s*\/\*\*[\s\S]*?\*\/$|\/\/ .*$/gm, (comment) => comment.replace(/\w/g, ' '))
}

test('a private function stands below the first that uses it: a reader meets each piece after what it is for', () => {
  const found = [...product, ...scripts].flatMap(findEarlyPieces)
  // Functions of the script that nginx runs, in a text.
  const path = 'src/cli/gateway/recipes/nginx-njs-recipe.ts'
  expect(found).toEqual([`${path}: verify`, `${path}: refuse`])
})

test('a function above its first use is found, unlike one above a later use', () => {
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

/** Finds the private functions of a file that nothing above them uses, and something below does. */
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

test('private functions that only one function uses stand in the order in which it mentions them', () => {
  expect([...product, ...scripts].flatMap(findInverted)).toEqual([])
})

test('an inverted pair is found unless other code uses one of the two', () => {
  const text = `
export function begin(): void {
  const opened = open()
  render(toRows(opened))
  close(opened)
  shared()
}
function close(opened: string): void {}
function shared(): void {}
function toRows(text: string): string {
  return text
}
function open(): string {
  return { close: '' }.close
}
function render(text: string): void {
  shared()
}
`
  const pairs = ['toRows before open', 'close before open', 'close before render', 'close before toRows']
  const found = findInverted(parse('made-up.ts', text))
  expect(found.toSorted()).toEqual(pairs.map((pair) => `made-up.ts: ${pair}`).toSorted())
})

/** Finds the pairs of private functions that stand the other way round than the only function that uses both mentions them. */
function findInverted(file: Pick<SourceFile, 'path' | 'text'>): string[] {
  const statements = parseNodes(file)[0]!.body as readonly Positioned[]
  const places = new Map(
    statements.flatMap((statement) => (toName(statement) ? [[toName(statement)!, statement.start]] : [])),
  )
  if (places.size < 2) return []
  const mentions = statements.map((statement) => listMentions(statement, places))
  const isUsedOnce = (name: string) => mentions.filter((found) => found.some((each) => each.name === name)).length === 1
  return mentions.flatMap((found, index) => {
    if (!toName(statements[index]!, 'any')) return []
    const own = found.filter(({ name }, at) => isUsedOnce(name) && found.findIndex((each) => each.name === name) === at)
    return own.flatMap((early, at) =>
      own
        .slice(at + 1)
        .filter(({ name, calls }) => !calls.includes(early.start) && places.get(name)! < places.get(early.name)!)
        .map(({ name }) => `${file.path}: ${name} before ${early.name}`),
    )
  })
}

type Positioned = SyntaxNode & {
  readonly start: number
  readonly declaration?: Positioned
  readonly shorthand?: boolean
}

/** Returns the name of the function that a statement declares. */
function toName(statement: Positioned, which: 'private' | 'any' = 'private'): string | undefined {
  const declared = which === 'any' ? (statement.declaration ?? statement) : statement
  return declared.type === 'FunctionDeclaration' ? declared.id?.name : undefined
}

/** A mention of a private function, with the beginnings of the calls around it. */
interface Mention {
  readonly name: string
  readonly start: number
  readonly calls: readonly number[]
}

/** Lists the mentions of private functions within a statement, in their order; they exclude types, keys and members of the same name. */
function listMentions(statement: Positioned, places: ReadonlyMap<string, number>): Mention[] {
  const own = toName(statement)
  const visit = (node: Positioned, calls: readonly number[]): Mention[] => {
    const { type, name, start } = node
    if (type.startsWith('TS') && !/^TS(?:As|NonNull|Satisfies)/.test(type)) return []
    if (type === 'Identifier' || type === 'JSXIdentifier')
      return name !== undefined && name !== own && places.has(name) ? [{ name, start, calls }] : []
    const around = type === 'CallExpression' || type === 'NewExpression' ? [...calls, start] : calls
    return Object.entries(node).flatMap(([key, value]) => {
      const isName =
        !node.computed && !node.shorthand && (key === 'key' || (key === 'property' && type === 'MemberExpression'))
      const inner = isName ? [] : ([value].flat() as (Positioned | undefined)[])
      return inner.flatMap((each) => (typeof each?.type === 'string' ? visit(each, around) : []))
    })
  }
  return visit(statement, []).toSorted((a, b) => a.start - b.start)
}
