import { expect, test } from 'vitest'
import { pureWords, readFirstWords } from './first-words.ts'
import { parse, product, type SourceFile, scripts, targetsOf, tests } from './source-files.ts'
import { parseNodes, toFirstWord } from './syntax-tree.ts'

const paths = [...product, ...scripts].map(({ path }) => path)

test('every file is named in kebab-case', () => {
  expect(paths.filter((path) => !/^([a-z0-9-]+\/)+[a-z0-9-]+(\.d)?\.tsx?$/.test(path))).toEqual([])
})

test('no file has a name such as utils, common or service, which says nothing of its content', () => {
  expect(paths.filter((path) => /(^|[/-])(utils?|common|misc|manager|service|index)[.-]/.test(path))).toEqual([])
})

const [ofFunctions, ofMethods] = [readFirstWords('functions'), readFirstWords('methods')]

test('a function begins with a word of the glossary in docs/glossary.md', () => {
  const strange = listFunctions([...scripts, ...product]).filter(({ name }) => !ofFunctions.has(toFirstWord(name)))
  expect(strange.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
})

test('each word of the glossary for functions begins one', () => {
  const used = new Set(listFunctions([...scripts, ...product]).map(({ name }) => toFirstWord(name)))
  expect([...ofFunctions].filter((word) => !used.has(word))).toEqual([])
})

test('each word of the glossary for methods begins one', () => {
  const used = new Set(product.flatMap(listMethods).map(toFirstWord))
  expect([...ofMethods].filter((word) => !used.has(word))).toEqual([])
})

// Rules about none of them would hold.
test('the tests above read many words and functions', () => {
  const counts = [ofFunctions.size, pureWords.size, listFunctions(product).length]
  expect(counts.map((count, index) => count > [50, 30, 2000][index]!)).toEqual([true, true, true])
})

/** Lists the methods of a file whose name has several words, and begins with none of the glossary. */
const listStrange = (file: Pick<SourceFile, 'path' | 'text'>) =>
  listMethods(file)
    .filter((name) => toFirstWord(name) !== name)
    .filter((name) => !ofFunctions.has(toFirstWord(name)) && !ofMethods.has(toFirstWord(name)))
    .map((name) => `${file.path}: ${name}`)

test('a method whose name has several words begins with a word of the glossary', () => {
  // The AWS SDK gives this name.
  expect(product.flatMap(listStrange)).toEqual(['src/sources/aws/sdk-chain/request-handler.ts: httpHandlerConfigs'])
})

test('a method with another first word is found in an interface, a class and an object', () => {
  const text = `
interface Relations {
  areApart(a: Group, b: Group): boolean
  readonly hardAt: (second: number) => number
  readonly areaNames: readonly string[]
  enter(): void
}
class Grants {
  #catchUp() {}
  get oldestGrant() {
    return this.#grants[0]
  }
  findOldest() {}
}
const relations = { areCovering(a, b) {}, [listingNames](list) {} }
`
  expect(listStrange(parse('made-up.ts', text))).toEqual(
    ['areApart', 'hardAt', 'catchUp', 'areCovering'].map((name) => `made-up.ts: ${name}`),
  )
})

test('a function whose first word is pure declares no promise', () => {
  const broken = listFunctions(product).filter(({ name, isAsync, result }) => {
    return pureWords.has(toFirstWord(name)) && (isAsync || /^(Promise|Async\w+)</.test(result))
  })
  expect(broken.map(({ path, name, result }) => `${path}: ${name} gives ${result}`)).toEqual([])
})

/** Lists the functions of a file whose first word is pure, and which ask the system for something. */
function listImpure({ path, text }: Pick<SourceFile, 'path' | 'text'>) {
  const outside =
    /\b(Date\.now|Math\.random|performance\.now|random(Bytes|UUID)|hostname|homedir|(exists|stat|readFile)Sync)\(|\bnew Date\(\)|\bprocess\.[a-z]/
  const declaration = /^(?:export )?function (?<name>[a-z]\w*)[\s\S]*?^}/gm
  return [...text.matchAll(declaration)]
    .filter(({ 0: body, groups }) => pureWords.has(toFirstWord(groups!.name!)) && outside.test(body))
    .map(({ groups }) => `${path}: ${groups!.name!}`)
}

test('a function whose first word is pure takes time, chance and the system from its caller', () => {
  expect(product.flatMap(listImpure)).toEqual([])
})

test('a function that asks the system for the time is found where its first word is pure', () => {
  const text = `
function parseAge(text: string): number {
  return Date.now() - Date.parse(text)
}
function readAge(text: string): number {
  return Date.now() - Date.parse(text)
}
`
  expect(listImpure({ path: 'made-up.ts', text })).toEqual(['made-up.ts: parseAge'])
})

test('a function that resolves something documents its order, which a test holds it to', () => {
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
  expect({ unordered: unordered.map(toPlace), untested: untested.map(toPlace), found: found.map(toPlace) }).toEqual({
    unordered: [],
    untested: [],
    found: declared.map(toPlace),
  })
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

/** Lists the methods that a file declares, also those that a type only asks for, without the getters. */
function listMethods(file: Pick<SourceFile, 'path' | 'text'>): string[] {
  return parseNodes(file).flatMap(({ type, kind, method, computed, key, typeAnnotation }) => {
    const isMethod =
      (type === 'MethodDefinition' && kind === 'method') ||
      type === 'TSMethodSignature' ||
      (type === 'Property' && method) ||
      typeAnnotation?.typeAnnotation?.type === 'TSFunctionType'
    return isMethod && !computed && key?.name ? [key.name] : []
  })
}

/** Lists the functions that a file declares beside each other, not those within them. */
function listFunctions(files: readonly SourceFile[]) {
  const declaration = /^(?:export )?(?:default )?(?:async )?function\*? *(?<name>[a-z]\w*)(?=[<(](?:.*[{(<])?$)/gm
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(declaration)].map(({ 0: beginning, index, groups }) => ({
      path,
      name: groups!.name!,
      isAsync: beginning.includes('async function'),
      result: findResult(text.slice(index)),
      parameters: findParameters(text.slice(index + beginning.length)),
    })),
  )
}

/** Finds the type that a declaration states behind its parameters, on its first line or at their end; empty if it states none. */
function findResult(text: string): string {
  const [first = ''] = text.split('\n', 1)
  const line = first.endsWith(' {') ? first : (/^[)}].*$/m.exec(text)?.[0] ?? '')
  return /\): (?<type>(?:(?!\): ).)*?)(?: \{)?$/.exec(line)?.groups?.type ?? ''
}

/** Finds the text between the parentheses of a declaration, without what stands in brackets of any kind within it. */
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
