import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { root } from '../../pkg-scripts/tree.ts'
import { parse, product, type SourceFile, scripts, targetsOf, tests } from './source-files.ts'

test('every file is named in kebab-case for its concept, and none gathers what has no name', () => {
  const paths = [...product, ...scripts].map(({ path }) => path)
  expect(paths.filter((path) => !/^([a-z0-9-]+\/)+[a-z0-9-]+(\.d)?\.tsx?$/.test(path))).toEqual([])
  expect(paths.filter((path) => /(^|[/-])(utils?|common|misc|manager|service|index)[.-]/.test(path))).toEqual([])
})

test('a function begins with a word of the glossary in docs/glossary.md, and each word begins one', () => {
  const words = readFirstWords()
  const isKnown = (name: string) => words.has(/^[a-z0-9]+/.exec(name)![0])
  const strange = [
    ...listFunctions(scripts).filter(({ isExported, name }) => isExported && !isKnown(name)),
    ...listFunctions(product).filter(({ name }) => !isKnown(name)),
  ]
  expect(strange.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
  const used = new Set(
    [...listFunctions(scripts), ...listFunctions(product)].map(({ name }) => /^[a-z0-9]+/.exec(name)![0]),
  )
  expect([...words].filter((word) => !used.has(word))).toEqual([])
  expect(words.size).toBeGreaterThan(50)
  expect(listFunctions(product).length).toBeGreaterThan(2000)
})

test('a function keeps the promise of its first word, as far as its declaration shows it', () => {
  const broken = listFunctions(product).filter(({ name, isAsync, result }) => {
    const word = /^[a-z0-9]+/.exec(name)![0]
    if (pureWords.has(word) && (isAsync || /^(Promise|Async\w+)</.test(result))) return true
    // A script that nginx or another server runs states no type.
    return result !== '' && results[word] !== undefined && !results[word].test(result)
  })
  expect(broken.map(({ path, name, result }) => `${path}: ${name} gives ${result}`)).toEqual([])
  expect(pureWords.size).toBeGreaterThan(30)
})

test('a function within another, a method and a constant function keep the promise of their first word, as far as their form shows it', () => {
  expect(product.flatMap(findBrokenForms)).toEqual([])
  const text = `
const describeAll = async () => fetchAll()
const joinAll = async () => fetchAll()
function start() {
  const toText = (text): Promise<string> => read(text)
  const refuseLong = (text) => text.length
  const refuseShort = (text) => refuseEmpty(text)
  const dropFirst = (all) => {
    all.shift()
  }
  async function replaceAll() {}
  return {
    async joinSession() {
      return {}
    },
    dropOld: () => {},
    convert: async () => import('./convert.ts'),
  }
}
class Session {
  async #renderName() {}
  async join() {}
}
`
  expect(findBrokenForms(parse('made-up.ts', text))).toEqual([
    'made-up.ts: joinAll gives a promise',
    'made-up.ts: toText gives a promise',
    'made-up.ts: refuseLong throws nothing',
    'made-up.ts: dropFirst gives nothing',
    'made-up.ts: replaceAll gives a promise',
    'made-up.ts: joinSession gives a promise',
    'made-up.ts: join gives a promise',
  ])
})

/** The results that these first words promise. */
const results: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    ['is', 'has', 'may', 'can'].map((word) => [
      word,
      /^(boolean|\w+ is .+|Promise<boolean>|boolean \| Promise<boolean>)$/,
    ]),
  ),
  ...Object.fromEntries(['refuse', 'print', 'tell'].map((word) => [word, /^(void|never|Promise<void>)$/])),
  require: /^(?!.*\bundefined\b)/,
}

test('a function whose first word promises a value changes none of its parameters, and tells, writes and asks nobody', () => {
  expect(product.flatMap(findBrokenPromises)).toEqual([])
  const text = `
function toSource(given, { all }) {
  given.url.host = 'a'
  all[0]!.push(1)
  tellPerson(given)
  return { obtain: () => fetch(given.url), all }
}
const isOver = (sink) => sink.write('')
async function describeClock() {
  return fetchOffset()
}
function countWord(numbers) {
  const own = { at: 0 }
  own.at += 1
  delete numbers.first
}
function collectWords(all) {
  all.push(1)
}
`
  expect(findBrokenPromises(parse('made-up.ts', text))).toEqual([
    'made-up.ts: toSource changes given',
    'made-up.ts: toSource changes all',
    'made-up.ts: toSource calls tellPerson',
    'made-up.ts: isOver calls write',
    'made-up.ts: countWord changes numbers',
  ])
})

test('a function that resolves something says in which order it looks, and a test holds it to that', () => {
  const declaration =
    /\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\n(?<exported>export )?(?:async )?function (?<name>resolve[A-Z]\w*)/g
  const found = product.flatMap(({ path, text }) =>
    [...text.matchAll(declaration)].map(({ groups = {} }) => {
      const { comment = '', name = '', exported } = groups
      return { path, comment, name, exported }
    }),
  )
  const declared = listFunctions(product).filter(({ name }) => /^resolve[A-Z]/.test(name))
  const unordered = found.filter(
    ({ comment }) => !/\b(?:else|order|overrides|otherwise|or a new one)\b|@link resolve/.test(comment),
  )
  const tested = new Set(tests.flatMap((file) => targetsOf(file).map(({ target }) => target)))
  const words = new Set(tests.flatMap(({ text }) => text.match(/\bresolve[A-Z]\w*/g) ?? []))
  const untested = found.filter(({ path, exported, name }) => !(exported ? words.has(name) : tested.has(path)))
  const toPlace = ({ path, name }: { path: string; name: string }) => `${path}: ${name}`
  expect({ unordered: unordered.map(toPlace), untested: untested.map(toPlace) }).toEqual({
    unordered: [],
    untested: [],
  })
  expect(found.map(toPlace)).toEqual(declared.map(toPlace))
})

test('no parameter is a boolean: a call says in a word what it asks for', () => {
  const found = listFunctions(product).filter(({ parameters }) => /: boolean\b|(?<!=)= (true|false)\b/.test(parameters))
  expect(found.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
})

test('the name of a type stands for one thing in the whole tree', () => {
  const places = [...product, ...scripts].flatMap(({ path, text }) => {
    const declarations = text.matchAll(/^(?:export )?(?:interface|type|class) (?<name>\w+)(?=[ <])/gm)
    return [...declarations].map(({ groups }) => ({ path, name: groups!.name! }))
  })
  const twice = [...Map.groupBy(places, ({ name }) => name)].filter(([, declared]) => declared.length > 1)
  expect(twice.map(([name, declared]) => `${name}: ${declared.map(({ path }) => path).join(', ')}`)).toEqual([])
})

/** Lists what the functions of a file do although their first words exclude it, but not what a function does that one of them gives back. */
function findBrokenPromises({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] {
  const nodes = listNodes(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as SyntaxNode)
  return nodes.flatMap((node) => {
    const [name, made] = node.type === 'VariableDeclarator' ? [node.id?.name, node.init] : [node.id?.name, node]
    if (!made || !isFunction(made) || !promising.test(name ?? '')) return []
    const parameters = made.params!.flatMap((parameter) => listNodes(parameter).map((inner) => inner.name))
    const changed = listNodes(made.body!).flatMap((inner) => findChanged(inner) ?? [])
    const calls = listNodes(made.body!, 'own').flatMap(({ type, callee }) =>
      type === 'CallExpression' && isTelling(callee!) && !(made.async && isAsking(callee!))
        ? [callee!.property?.name ?? callee!.name]
        : [],
    )
    return [
      ...changed.filter((root) => parameters.includes(root)).map((root) => `${path}: ${name} changes ${root}`),
      ...calls.map((called) => `${path}: ${name} calls ${called}`),
    ]
  })
}

/**
 * Lists the functions of a file whose form breaks the promise of their first word. A key of one word may be a key of a table, and a method may
 * change what it belongs to without giving anything.
 */
function findBrokenForms({ path, text }: Pick<SourceFile, 'path' | 'text'>): string[] {
  const nodes = listNodes(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as unknown as SyntaxNode)
  return nodes.flatMap((node) => {
    const [key, made] =
      node.type === 'VariableDeclarator' ? [node.id, node.init] : node.key ? [node.key, node.value] : [node.id, node]
    const word = /^[a-z0-9]+/.exec(key?.name ?? '')?.[0] ?? ''
    if (!made?.body || !isFunction(made) || (node.type === 'Property' && word === key?.name)) return []
    const problem = findBrokenForm(word, made, node.type)
    return problem === undefined ? [] : [`${path}: ${key!.name} ${problem}`]
  })
}

function findBrokenForm(word: string, made: SyntaxNode, declared: string): string | undefined {
  const isConstant = declared === 'VariableDeclarator'
  const own = listNodes(made.body!, 'own')
  const isThrowing = own.some(({ type }) => type === 'ThrowStatement')
  if (word === 'refuse' && isConstant && !isThrowing && !own.some(({ callee }) => callee && isRefusing(callee)))
    return 'throws nothing'
  if (!pureWords.has(word)) return undefined
  if (made.async || made.returnType?.typeAnnotation?.typeName?.name === 'Promise') return 'gives a promise'
  const isGiving =
    made.body!.type !== 'BlockStatement' || own.some((each) => each.type === 'ReturnStatement' && each.argument)
  return isConstant && !isGiving && !isThrowing ? 'gives nothing' : undefined
}

const pureWords = readFirstWords((meaning) => /\bpure\b/.test(meaning))

/** Functions that throw where something is not permitted. */
function isRefusing({ name, property }: SyntaxNode): boolean {
  return /^(refuse|require|throwIfAborted)/.test(property?.name ?? name ?? '')
}

/** Words of the glossary that promise a value and nothing else. */
const promising =
  /^(parse|render|to|from|is|has|may|detect|compute|digest|compare|count|match|merge|select|choose|sort|summarize|convert|expand|omit|join|split|group|round|describe|explain|normalize|restrict|strip|drop|escape|encode|decode|quote|redact|hide|cut|validate|define)(?![a-z])/

interface SyntaxNode {
  readonly type: string
  readonly name?: string
  readonly id?: SyntaxNode
  readonly init?: SyntaxNode
  readonly async?: boolean
  readonly params?: readonly SyntaxNode[]
  readonly body?: SyntaxNode
  readonly left?: SyntaxNode
  readonly argument?: SyntaxNode
  readonly operator?: string
  readonly callee?: SyntaxNode
  readonly object?: SyntaxNode
  readonly property?: SyntaxNode
  readonly expression?: SyntaxNode
  readonly key?: SyntaxNode
  readonly value?: SyntaxNode
  readonly returnType?: SyntaxNode
  readonly typeAnnotation?: SyntaxNode
  readonly typeName?: SyntaxNode
}

function isFunction({ type }: SyntaxNode): boolean {
  return /^(ArrowFunctionExpression|Function(Declaration|Expression))$/.test(type)
}

/** A node and every one below it; `own` leaves out the functions below it. */
function listNodes(node: SyntaxNode, which: 'all' | 'own' = 'all'): SyntaxNode[] {
  const found = [node]
  for (const value of Object.values(node) as unknown[])
    for (const inner of Array.isArray(value) ? value : [value])
      if (typeof inner?.type === 'string' && !(which === 'own' && isFunction(inner)))
        for (const below of listNodes(inner, which)) found.push(below)
  return found
}

/** The variable of which a node changes something inside. */
function findChanged({ type, operator, left, argument, callee }: SyntaxNode): string | undefined {
  if (type === 'CallExpression' && callee!.type === 'MemberExpression')
    return changing.test(callee!.property?.name ?? '') ? findRoot(callee!.object!) : undefined
  const target = type === 'AssignmentExpression' ? left : argument
  const isChange = /^(Assignment|Update)Expression$/.test(type) || operator === 'delete'
  return isChange && target?.type === 'MemberExpression' ? findRoot(target) : undefined
}

const changing = /^(push|pop|shift|unshift|splice|sort|reverse|set|add|delete|clear|fill)$/

function findRoot(node: SyntaxNode): string | undefined {
  const inner = node.object ?? node.expression
  return inner ? findRoot(inner) : node.name
}

/** A variable itself, or a member of one: a buffer that is made and written in one expression belongs to the function. */
function isTelling({ name, object, property }: SyntaxNode): boolean {
  if (name !== undefined) return /^((tell|write|send|print|fetch)(?![a-z])|observe$|readFile)/.test(name)
  return /^(warn|tell|write|observe|fetch|readFile)$/.test(property?.name ?? '') && findRoot(object!) !== undefined
}

/** A function that gives a promise may read the disk or ask over the network, whatever its word. */
function isAsking({ name = '' }: SyntaxNode): boolean {
  return /^(fetch|send|readFile)/.test(name)
}

/** The functions that a file declares beside each other, not those within them. */
function listFunctions(files: readonly SourceFile[]) {
  const declaration =
    /^(?<exported>export )?(?:default )?(?:async )?function\*? *(?<name>[a-z]\w*)(?=[<(](?:.*[{(<])?$)/gm
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(declaration)].map(({ 0: beginning, index, groups }) => ({
      ...{ path, name: groups!.name!, isExported: groups!.exported !== undefined },
      ...{ isAsync: beginning.includes('async function'), result: findResult(text.slice(index)) },
      parameters: findParameters(text.slice(index + beginning.length)),
    })),
  )
}

/** The type that a declaration states behind its parameters, on its first line or where its parameters end; empty if it states none. */
function findResult(text: string): string {
  const [first = ''] = text.split('\n', 1)
  const line = first.endsWith(' {') ? first : (/^[)}].*$/m.exec(text)?.[0] ?? '')
  return /\): (?<type>(?:(?!\): ).)*?)(?: \{)?$/.exec(line)?.groups?.type ?? ''
}

/** The text between the parentheses of a declaration, without what stands in brackets of any kind within it. */
function findParameters(text: string): string {
  let [depth, parameters] = [0, '']
  for (const character of text.slice(text.indexOf('('))) {
    if ('([{'.includes(character)) depth += 1
    if (depth === 1) parameters += character
    if (')]}'.includes(character)) depth -= 1
    if (depth === 0) break
  }
  return parameters
}

function readFirstWords(fits = (_meaning: string) => true): Set<string> {
  const page = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
  const section = page.split('## First words of functions\n')[1]?.split('\n## ')[0] ?? ''
  const rows = [...section.matchAll(/^\| (?<cell>`.*?) \| (?<meaning>.*) \|$/gm)]
  const cells = rows.filter(({ groups }) => fits(groups!.meaning!)).map(({ groups }) => groups!.cell!)
  return new Set(cells.flatMap((cell) => cell.match(/\w+/g) ?? []))
}
