import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Expression, Node } from 'typescript/unstable/ast'
import * as syntax from 'typescript/unstable/ast/is'
import { API, type Checker, type Project, SignatureKind, type Type, TypeFlags } from 'typescript/unstable/sync'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { toFirstWord } from './syntax-tree.ts'

test('a function gives what its first word promises, stated or inferred', () => {
  const projects = ['tsconfig.json', 'src/cli/config/edit/page/tsconfig.json']
  expect(projects.flatMap((project) => findBrokenResults(root, project))).toEqual([])
})

test('the checker sees private functions, methods, members of types and parameters alike', async () => {
  const directory = await temporaryDirectory()
  const text = `
interface Page {
  renderTitle(): string
  renderBody: () => { lines: string[] }
}
class Secret {}
const renderKey = (key: string) => (key === '' ? undefined : new Secret())
const renderRows = (rows: string[]) => rows.map((row) => [row, row])
const renderFile = (path: string) => ({ path, text: '' })
async function renderAll(page: Page) {
  const renderLine = (at: number) => page.renderBody().lines[at]!
  const renderSize = () => page.renderBody().lines.length
  return [renderLine(0), new Uint8Array(renderSize())]
}
function* renderEach(render: () => object) {
  for (const line of Object.keys(render())) yield line
}
const isLong = (text: string) => text.length
const isShort = async (text: unknown): Promise<boolean> => text === ''
const isText = (value: unknown): value is string => typeof value === 'string'
function countTexts(counts: Map<string, number>) {
  counts.set('a', 1)
}
const requireText = (texts: string[]) => texts.at(0)
const requireTexts = (): Record<string, string | undefined> => ({})
const refuseText = () => 'no'
const findText = (texts: string[]) => texts.find((text) => text !== '')
const describeText = (text: string) => ({ size: text.length })
const explainText = (texts: string[]) => texts.map((message) => ({ message, hint: '' }))
const listTexts = (text: string) => ({ text })
const listWords = (text: string) => new Set(text.split(' '))
const list = (text: string) => text
const computeText = (text: string) => text === ''
const computeSizes = (text: string) => ({ size: text.length })
const startReading = (text: string) => ({ text })
const startWatching = () => ({ watch: { close: () => {} } })
const startTimer = () => () => {}
const openText = async () => true
const findFirst = async (texts: string[]) => texts[0] ?? null
const findReason = (text: string) => (text === '' ? { problem: 'empty' } : text)
const findTexts = (texts: string[]) => texts.filter((text) => text !== '')
const findSize = (text: string): number | Promise<number> => text.length
const detectKind = (text: string) => (text === '' ? 'empty' : 'full')
const detectName = (text: string) => text
const parseList = (parts: string[], list: { size: number }) => list.size + parts.length
const parseSize = (list: { size: number }) => list.size
const parseAll = () => 0
const parseEach = (size: number) => (text: string) => text.length * size
const validateText = (text: string) => text === ''
const fetchText = () => ''
`
  await mkdir(join(directory, 'src'))
  await writeFile(join(directory, 'src/made-up.ts'), text)
  const options = { target: 'esnext', lib: ['esnext'], types: [], strict: true, noUncheckedIndexedAccess: true }
  await writeFile(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['src/made-up.ts'] }),
  )
  expect(findBrokenResults(directory, 'tsconfig.json')).toEqual([
    'src/made-up.ts: renderBody gives no text: { lines: string[]; }',
    'src/made-up.ts: renderSize gives no text: number',
    'src/made-up.ts: render gives no text: object',
    'src/made-up.ts: isLong gives more than true or false: number',
    'src/made-up.ts: countTexts gives no number: void',
    'src/made-up.ts: requireText can give undefined: string | undefined',
    'src/made-up.ts: refuseText gives something: string',
    'src/made-up.ts: describeText gives no words: { size: number; }',
    'src/made-up.ts: listTexts gives no list: { text: string; }',
    'src/made-up.ts: computeText gives no number or key: boolean',
    'src/made-up.ts: startReading gives what cannot be closed: { text: string; }',
    'src/made-up.ts: openText gives no handle: Promise<boolean>',
    'src/made-up.ts: findReason always gives something: string | { problem: string; }',
    'src/made-up.ts: findTexts always gives something: string[]',
    'src/made-up.ts: findSize always gives something: number | Promise<number>',
    'src/made-up.ts: detectName gives any text or number: string',
    'src/made-up.ts: parseSize takes no text, bytes or unverified value: number',
    'src/made-up.ts: parseAll takes no text, bytes or unverified value: number',
    'src/made-up.ts: validateText gives no findings: boolean',
    'src/made-up.ts: fetchText gives no promise: string',
  ])
})

const nothing = TypeFlags.Void | TypeFlags.Undefined | TypeFlags.Never

/** A word or number, such as the address or the process id of what was started; or a type that only the caller knows. */
const anyWord = TypeFlags.StringLike | TypeFlags.NumberLike | TypeFlags.TypeParameter

/** A function as the checker knows it, or a name that stands for one. */
interface TypedFunction {
  readonly parameters: readonly Type[]
  readonly stated: Type
  /** The result in the end: each member of a union, and the value of a promise. */
  readonly results: readonly Type[]
  readonly isPromise: boolean
  readonly checker: Checker
}

type Promised = readonly [broken: string, isKept: (typed: TypedFunction) => boolean]

const yesOrNo: Promised = [
  'gives more than true or false',
  ({ results }) => results.every(ofFlags(TypeFlags.BooleanLike)),
]
const onlyEffect: Promised = ['gives something', ({ results }) => results.every(ofFlags(nothing))]
const asked: Promised = ['gives no promise', ({ isPromise }) => isPromise]

const words: Promised = [
  'gives no words',
  ({ results, checker }) => results.every((each) => isText(each, checker) || hasMember(each, wordsMember, checker)),
]

/** The members that carry words for a person, in an error, a finding or a line of a log. */
const wordsMember = /^(message|hint|lines?|detail|text|words|why|says|how|cause|title|observations|remarks)$/

/** The members by which what was started is closed, or that end by themselves. */
const closingMember = /^(close|stop|kill|drain|dispose|ended)$|^__@dispose|^__@asyncDispose/

/** The promise of each first word: the words for one that is broken, and the test of one that is kept. */
const promises: Readonly<Record<string, Promised>> = {
  render: ['gives no text', ({ results, checker }) => results.every((each) => isText(each, checker))],
  is: yesOrNo,
  has: yesOrNo,
  may: yesOrNo,
  refuse: onlyEffect,
  print: onlyEffect,
  tell: onlyEffect,
  fetch: asked,
  exchange: asked,
  find: [
    'always gives something',
    ({ results }) => results.some(ofFlags(nothing | TypeFlags.Null | TypeFlags.Unknown | TypeFlags.TypeParameter)),
  ],
  describe: words,
  explain: words,
  list: ['gives no list', ({ results, checker }) => results.every((each) => isList(each, checker))],
  compute: [
    'gives no number or key',
    ({ results, checker }) => results.some((each) => ofFlags(TypeFlags.StringLike)(each) || hasNumber(each, checker)),
  ],
  count: ['gives no number', ({ results, checker }) => results.some((each) => hasNumber(each, checker))],
  start: [
    'gives what cannot be closed',
    ({ results, checker }) =>
      results.every(
        (each) =>
          ofFlags(nothing | anyWord)(each) || isFunction(each, checker) || hasMember(each, closingMember, checker),
      ),
  ],
  open: ['gives no handle', ({ results }) => !results.every(ofFlags(nothing | TypeFlags.BooleanLike))],
  require: ['can give undefined', ({ results }) => !results.some(ofFlags(TypeFlags.Undefined))],
  detect: ['gives any text or number', ({ results }) => !results.some(ofFlags(TypeFlags.String | TypeFlags.Number))],
  validate: ['gives no findings', ({ results }) => !results.some(ofFlags(TypeFlags.Void | TypeFlags.BooleanLike))],
  parse: [
    'takes no text, bytes or unverified value',
    ({ parameters, results, checker }) => {
      const later = results.flatMap((result) => toTypedFunction(result, checker)?.parameters ?? [])
      return [...parameters, ...later].some((each) => isUnverified(each, checker))
    },
  ],
}

const wordsOfProduct = new Set(Object.keys(promises))

/** A test may end, count and try what it likes in words of its own. */
const wordsOfTests = new Set(['render', 'is', 'has', 'may', 'require', 'detect', 'parse'])

/** Lists the functions of a project whose types break the promise of their first word. */
function findBrokenResults(directory: string, project: string): string[] {
  const api = new API({ cwd: directory })
  try {
    const path = join(directory, project)
    return listBroken(api.updateSnapshot({ openProject: path }).getProject(path)!, directory)
  } finally {
    api.close()
  }
}

function listBroken({ checker, program }: Project, directory: string): string[] {
  return program.getSourceFileNames().flatMap((absolute) => {
    const path = relative(directory, absolute)
    if (!/^(src|helpers|pkg-scripts|test)\//.test(path)) return []
    const words = path.startsWith('test/') ? wordsOfTests : wordsOfProduct
    const named = listNamedNodes(program.getSourceFile(absolute)!).filter((each) =>
      words.has(toFirstWord(toText(each))),
    )
    const types = named.length === 0 ? [] : checker.getTypeAtLocation(named.map(({ name }) => name))
    return named.flatMap((node, at) => {
      const typed = toTypedFunction(findExpected(node, checker) ?? types[at]!, checker)
      if (!typed || isOfItsOwner(node, typed) || isNameOfAct(node)) return []
      const [broken, isKept] = promises[toFirstWord(toText(node))]!
      return isKept(typed) ? [] : [`${path}: ${toText(node)} ${broken}: ${checker.typeToString(typed.stated)}`]
    })
  })
}

/** A node that gives something a name which can stand for a function. */
type NamedNode = Node & { readonly name: Node & { readonly text: string }; readonly initializer?: Expression }

function listNamedNodes(node: Node): NamedNode[] {
  const own = naming.some((isOfKind) => isOfKind(node)) && (node as NamedNode).name ? [node as NamedNode] : []
  const below: NamedNode[] = []
  node.forEachChild((child) => {
    below.push(...listNamedNodes(child))
  })
  return [...own, ...below]
}

const naming = [
  syntax.isFunctionDeclaration,
  syntax.isMethodDeclaration,
  syntax.isMethodSignatureDeclaration,
  syntax.isParameterDeclaration,
  syntax.isPropertyAssignment,
  syntax.isPropertyDeclaration,
  syntax.isPropertySignatureDeclaration,
  syntax.isVariableDeclaration,
]

function toText({ name }: NamedNode): string {
  return /^#?(\w+)$/.exec(name.text ?? '')?.[1] ?? ''
}

/** Finds the type that an object expects of its member. A caller that expects nothing takes any result. */
function findExpected(node: NamedNode, checker: Checker): Type | undefined {
  return syntax.isPropertyAssignment(node) ? checker.getContextualType(node.initializer) : undefined
}

/** A method that takes nothing may parse what it belongs to. */
function isOfItsOwner(node: NamedNode, { parameters }: TypedFunction): boolean {
  return parameters.length === 0 && syntax.isMethodDeclaration(node) && toFirstWord(toText(node)) === 'parse'
}

/** A command, an operation or a member of the published library, whose name is what a person or a caller writes. */
function isNameOfAct(node: NamedNode): boolean {
  return /^(compute|count|explain|find|list|open|start|startClient|startSession)$/.test(toText(node))
}

function ofFlags(flags: TypeFlags) {
  return (type: Type) => (type.flags & flags) !== 0
}

function toTypedFunction(type: Type, checker: Checker): TypedFunction | undefined {
  const [signature] = checker.getSignaturesOfType(type, SignatureKind.Call)
  const stated = signature && checker.getReturnTypeOfSignature(signature)
  if (!stated) return undefined
  const parts = listParts(stated)
  const results = parts.flatMap((part) =>
    isNamed(part, /^Promise$/) ? listParts(listArguments(part, checker)[0]!) : [part],
  )
  return {
    stated,
    results,
    checker,
    isPromise: parts.some((part) => isNamed(part, /^(Promise|AsyncGenerator)$/) || ofFlags(TypeFlags.Unknown)(part)),
    parameters: signature.getParameters().flatMap((parameter) => checker.getTypeOfSymbol(parameter) ?? []),
  }
}

/** Lists the members of a union, or the type itself. */
function listParts(type: Type): readonly Type[] {
  return type.isUnionType() ? type.getTypes() : [type]
}

function listArguments(type: Type, checker: Checker): readonly Type[] {
  return type.isTypeReference() ? checker.getTypeArguments(type) : []
}

function isNamed(type: Type, pattern: RegExp): boolean {
  return pattern.test(type.getSymbol()?.name ?? '')
}

/** Text or bytes, several of them, or what carries them: an element of a page, or an object with the text as a member. */
function isText(type: Type, checker: Checker): boolean {
  if (type.isUnionType()) return type.getTypes().every((part) => isText(part, checker))
  if (type.flags & (TypeFlags.StringLike | TypeFlags.Null | nothing)) return true
  if (isNamed(type, /^(Uint8Array|Buffer|Secret|XmlElement|VNode)$/)) return true
  if (isNamed(type, /^(Async)?Generator$/)) return isText(listArguments(type, checker)[0]!, checker)
  if (checker.isArrayLikeType(type) || isNamed(type, /^(Readonly)?Map$/))
    return listArguments(type, checker).every((each) => isText(each, checker))
  return ['text', 'html', 'content', 'files'].some((name) => checker.getPropertyOfType(type, name))
}

function isFunction(type: Type, checker: Checker): boolean {
  return checker.getSignaturesOfType(type, SignatureKind.Call).length > 0
}

/** An object with a member of such a name; several such objects, or one that holds them. */
function hasMember(type: Type, pattern: RegExp, checker: Checker, depth = 1): boolean {
  if (type.isUnionType()) return type.getTypes().every((part) => hasMember(part, pattern, checker, depth))
  const parts = [...listArguments(type, checker), ...(type.isIntersectionType() ? type.getTypes() : [])]
  if (parts.some((part) => hasMember(part, pattern, checker, depth))) return true
  const members = checker.getPropertiesOfType(type)
  if (members.some(({ name }) => pattern.test(name))) return true
  return depth > 0 && members.some((each) => hasMember(checker.getTypeOfSymbol(each)!, pattern, checker, depth - 1))
}

function isList(type: Type, checker: Checker): boolean {
  const isIterable = isNamed(type, /^((Readonly)?Set|(Async)?(Generator|Iterable)|List|Page)$/)
  return ofFlags(nothing | TypeFlags.Null)(type) || isIterable || checker.isArrayLikeType(type)
}

/** A number or a time; several of them, or an object that holds one. */
function hasNumber(type: Type, checker: Checker, depth = 2): boolean {
  if (type.isUnionType()) return type.getTypes().some((part) => hasNumber(part, checker, depth))
  if (ofFlags(TypeFlags.NumberLike)(type) || isNamed(type, /^(Date|Int32Array|Float64Array)$/)) return true
  if (depth === 0 || !ofFlags(TypeFlags.Object)(type)) return false
  const members = isNamed(type, /^(Readonly)?(Array|Map)$/) ? [] : checker.getPropertiesOfType(type)
  const held = [...listArguments(type, checker), ...members.map((each) => checker.getTypeOfSymbol(each)!)]
  return held.some((each) => hasNumber(each, checker, depth - 1))
}

/** Text, bytes, or a value of which nothing is known yet; also as a member of a parameter. */
function isUnverified(type: Type, checker: Checker, depth = 1): boolean {
  if (type.isUnionType()) return type.getTypes().some((part) => isUnverified(part, checker, depth))
  if (type.flags & (TypeFlags.StringLike | TypeFlags.Unknown | TypeFlags.Any)) return true
  if (isNamed(type, /^(Uint8Array|Buffer|Secret|DataView|Node|URL|Headers|URLSearchParams)$/)) return true
  if (isNamed(type, /^(Map|ReadonlyMap)$/))
    return listArguments(type, checker)
      .slice(1)
      .some((each) => isUnverified(each, checker))
  if (checker.getIndexInfosOfType(type).some(({ valueType }) => isUnverified(valueType, checker, 0))) return true
  return (
    depth > 0 &&
    checker.getPropertiesOfType(type).some((each) => isUnverified(checker.getTypeOfSymbol(each)!, checker, 0))
  )
}
