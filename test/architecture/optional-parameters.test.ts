import { expect, test } from 'vitest'
import { parse, product, type SourceFile, scripts } from './source-files.ts'
import { parseNodes, type SyntaxNode } from './syntax-tree.ts'

/** Parameters that no caller in the program gives, and who gives them. */
const givenOtherwise: Readonly<Record<string, string>> = {
  'src/sources/keychain/system/run-keychain-child.ts: runKeychainChild, system':
    'a keychain of another system, which is compiled for a test',
  'src/verify/server/request-token.ts: verifyRequest, tokenHeaders': 'gateways that use the package',
  'pkg-scripts/bench/start-load-server.ts: startLoadServer, heapMib':
    'a test that a page needs no more than its own memory',
  'pkg-scripts/bundle/bundle.ts: bundleAll, directory': 'tests that bundle another tree, or for another client',
}

test('a caller outside the tests gives each optional parameter', () => {
  expect(listUngiven([...product, ...scripts])).toEqual(Object.keys(givenOtherwise))
})

test('an argument counts also where the function is called under another name or passed on', () => {
  const text = `
import { first as begin } from './first.ts'
export function first(name: string, isNew?: boolean): void {}
export function second(name: string, size = 5): void {}
export function third(size = 5): void {}
export function fourth(size = 5): void {}
begin('a', true)
second('a')
third()
run(third)
fourth(...sizes)
`
  expect(listUngiven([parse('made-up.ts', text)])).toEqual(['made-up.ts: second, size'])
})

/** Lists the optional parameters of declared functions that no call gives. Functions of the same name count as one. */
function listUngiven(files: readonly SourceFile[]): string[] {
  const uses = files.flatMap(listUses)
  const most = new Map<string, number>()
  for (const { name, given } of uses) most.set(name, Math.max(given, most.get(name) ?? 0))
  return files.flatMap((file) =>
    parseNodes(file).flatMap(({ type, id, params = [] }) => {
      if (type !== 'FunctionDeclaration' || id?.name === undefined) return []
      const given = most.get(id.name) ?? 0
      const ungiven = params.filter((param, index) => isOptional(param) && index >= given)
      return ungiven.map((param) => `${file.path}: ${id.name}, ${param.name ?? param.left?.name ?? 'members'}`)
    }),
  )
}

function isOptional(param: SyntaxNode & { readonly optional?: boolean }): boolean {
  return param.type === 'AssignmentPattern' || param.optional === true
}

/** Lists the functions that a file calls with so many arguments, or passes on. */
function listUses(file: SourceFile): { readonly name: string; readonly given: number }[] {
  const nodes = parseNodes(file) as readonly Mentioning[]
  const names = new Map(
    nodes.flatMap(({ type, imported, local }) =>
      type === 'ImportSpecifier' && local?.name ? [[local.name, imported?.name ?? local.name]] : [],
    ),
  )
  const toUse = (name: string, given: number) => ({ name: names.get(name) ?? name, given })
  return nodes.flatMap(({ type, callee, arguments: given = [], value }) => {
    const passed = [...given, ...(type === 'Property' && value ? [value] : [])]
    const passedOn = passed.flatMap(({ type: kind, name }) =>
      kind === 'Identifier' && name ? [toUse(name, Infinity)] : [],
    )
    const name = callee?.name ?? callee?.property?.name
    if (type !== 'CallExpression' || name === undefined) return passedOn
    const isSpread = given.some(({ type: kind }) => kind === 'SpreadElement')
    return [...passedOn, toUse(name, isSpread ? Infinity : given.length)]
  })
}

type Mentioning = SyntaxNode & { readonly imported?: SyntaxNode; readonly local?: SyntaxNode }
