import { expect, test } from 'vitest'
import { pureWords } from './first-words.ts'
import { parse, product, type SourceFile } from './source-files.ts'
import {
  findRoot,
  listNamed,
  listNodes,
  type NamedFunction,
  parseNodes,
  type SyntaxNode,
  toFirstWord,
} from './syntax-tree.ts'

test('every function, method and constant function keeps the promise of its first word', () => {
  expect(product.flatMap(findBrokenForms)).toEqual([])
})

test('a broken promise is found in an inner function, an object and a class', () => {
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

test('a function whose first word promises a value has no side effects', () => {
  expect(product.flatMap(findBrokenPromises)).toEqual([])
})

test('a change of a parameter is found also through another function', () => {
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
function decodeText(source) {
  return takeText(1, source)
}
function takeText(length, source) {
  return takeBytes(source, length)
}
function takeBytes({ place }, length) {
  place.at += length
}
function decodeOwn(bytes) {
  const own = { place: { at: 0 } }
  return takeBytes(own, bytes.length)
}
`
  expect(findBrokenPromises(parse('made-up.ts', text))).toEqual([
    'made-up.ts: toSource changes given',
    'made-up.ts: toSource changes all',
    'made-up.ts: toSource calls tellPerson',
    'made-up.ts: isOver calls write',
    'made-up.ts: countWord changes numbers',
    'made-up.ts: decodeText changes source',
  ])
})

test('a function that answers yes or no does not throw', () => {
  expect(product.flatMap(findRefusingAnswers)).toEqual([])
})

test('an answer by yes or no that throws is found also through a function that requires or refuses', () => {
  const text = `
function isOwn(file) {
  if (file.isOther) throw new HelperError('refused', 'it is not yours')
  return true
}
const hasNames = async (names) => {
  refuseNone(names)
  return names.length > 1
}
class Store {
  mayOpen() {
    return this.#requireState() === 'open'
  }
  isOpen() {
    return this.state === 'open'
  }
}
function isolate() {
  throw new Error('it is not possible')
}
const isLast = (all) => all.at(-1) === requested
`
  expect(findRefusingAnswers(parse('made-up.ts', text))).toEqual([
    'made-up.ts: isOwn can throw',
    'made-up.ts: hasNames can throw',
    'made-up.ts: mayOpen can throw',
  ])
})

test('a function that finds something may return undefined', () => {
  expect(product.flatMap(findEndingThrows)).toEqual([])
})

test('a search that ends by throwing is found unless its result may be undefined', () => {
  const text = `
function findSecond(all): string {
  if (all[1]) return all[1]
  throw new HelperError('usage', 'there is none')
}
function findSettings(all): Settings | undefined {
  if (!all.path) return undefined
  if (isValid(all.path)) return all
  throw new HelperError('usage', 'it is broken')
}
const findFirst = async (all) => {
  throw new HelperError('usage', 'there is none')
}
function findLast(all): string {
  if (!all) throw new HelperError('usage', 'there is none')
  return all.at(-1)
}
function requireLast(all): string {
  throw new HelperError('usage', 'there is none')
}
`
  expect(findEndingThrows(parse('made-up.ts', text))).toEqual([
    'made-up.ts: findSecond ends by throwing',
    'made-up.ts: findFirst ends by throwing',
  ])
})

test('a function that reads waits, calls another reader or is given a stream', () => {
  expect(product.flatMap(findReadingNothing)).toEqual([])
})

test('a function named read that reads nothing is found', () => {
  const text = `
function readSender(question) {
  return findOne(question.headers)
}
function readAll(text) {
  return readNext(text)
}
function readNext(text) {
  return text === '' ? [] : readAll(text.slice(1))
}
class Reader {
  #readKind() {
    return this.kind
  }
  readFile(path) {
    return readFileSync(path, 'utf8')
  }
}
const readVersion = () => sql.get\`PRAGMA data_version\`
function readStatus(path): Promise<Stats> {
  return new Promise((resolve) => lstat(path, resolve))
}
async function readKept() {
  return kept
}
function* readPieces(socket: Socket) {
  yield socket.take()
}
const readers = { read: (text) => text.length }
`
  expect(findReadingNothing(parse('made-up.ts', text))).toEqual([
    'made-up.ts: readSender reads nothing',
    'made-up.ts: readAll reads nothing',
    'made-up.ts: readNext reads nothing',
    'made-up.ts: readKind reads nothing',
  ])
})

/** Lists what the functions of a file do although their first words exclude it, but not what a function does that one of them gives back. */
function findBrokenPromises(file: Pick<SourceFile, 'path' | 'text'>): string[] {
  const named = listNamed(parseNodes(file)).filter(({ declared }) => isBesideOthers(declared))
  const changes = collectChanges(named)
  return named.flatMap(({ name, made }) => {
    if (!promising.test(name)) return []
    const parameters = made.params.flatMap(listNames)
    const calls = listNodes(made.body, 'own').flatMap(({ type, callee }) =>
      type === 'CallExpression' && isTelling(callee!) && !(made.async && isAsking(callee!))
        ? [callee!.property?.name ?? callee!.name]
        : [],
    )
    return [
      ...listChanged(made.body, changes)
        .filter((root) => parameters.includes(root))
        .map((root) => `${file.path}: ${name} changes ${root}`),
      ...calls.map((called) => `${file.path}: ${name} calls ${called}`),
    ]
  })
}

/** A method may change what it belongs to, and is called by the name of that. */
function isBesideOthers(declared: string): boolean {
  return declared === 'VariableDeclarator' || declared === 'FunctionDeclaration'
}

/** The positions of the parameters that a function changes, itself or through another of its file; by the function's name. */
type ParameterChanges = ReadonlyMap<string, ReadonlySet<number>>

function collectChanges(named: readonly NamedFunction[], known: ParameterChanges = new Map()): ParameterChanges {
  const found = new Map(
    named.map(({ name, made }) => {
      const changed = new Set(listChanged(made.body, known))
      const places = made.params.flatMap((parameter, at) =>
        listNames(parameter).some((each) => changed.has(each)) ? [at] : [],
      )
      return [name, new Set(places)] as const
    }),
  )
  const count = (changes: ParameterChanges) => [...changes.values()].reduce((sum, { size }) => sum + size, 0)
  return count(found) > count(known) ? collectChanges(named, found) : found
}

/** Lists the variables of which a function's body changes something inside. */
function listChanged(body: SyntaxNode, changes: ParameterChanges): string[] {
  return listNodes(body).flatMap((node) => {
    const handed = [...(changes.get(node.callee?.name ?? '') ?? [])].map((at) => node.arguments?.[at])
    return [findChanged(node), ...handed.map((argument) => argument && findRoot(argument))].flatMap(
      (root) => root ?? [],
    )
  })
}

function listNames(parameter: SyntaxNode): string[] {
  return listNodes(parameter).flatMap(({ name }) => name ?? [])
}

/**
 * Lists the functions of a file whose form breaks the promise of their first word. A key of one word may be a key of a table, and a method may
 * change what it belongs to without giving anything.
 */
function findBrokenForms(file: Pick<SourceFile, 'path' | 'text'>): string[] {
  return listNamed(parseNodes(file)).flatMap((named) => {
    const problem = isKeyOfTable(named) ? undefined : findBrokenForm(named)
    return problem === undefined ? [] : [`${file.path}: ${named.name} ${problem}`]
  })
}

function isKeyOfTable({ name, declared }: NamedFunction): boolean {
  return declared === 'Property' && toFirstWord(name) === name
}

function findBrokenForm({ name, declared, made }: NamedFunction): string | undefined {
  const word = toFirstWord(name)
  const isConstant = declared === 'VariableDeclarator'
  const own = listNodes(made.body, 'own')
  const isThrowing = own.some(({ type }) => type === 'ThrowStatement')
  if (word === 'refuse' && isConstant && !isThrowing && !own.some(({ callee }) => callee && isRefusing(callee)))
    return 'throws nothing'
  if (!pureWords.has(word)) return undefined
  if (isPromising(made)) return 'gives a promise'
  const isGiving =
    made.body.type !== 'BlockStatement' || own.some((each) => each.type === 'ReturnStatement' && each.argument)
  return isConstant && !isGiving && !isThrowing ? 'gives nothing' : undefined
}

function isPromising({ async, returnType }: SyntaxNode): boolean {
  return async || returnType?.typeAnnotation?.typeName?.name === 'Promise'
}

/** Lists the functions of a file that are named as a question of yes or no, and have a third answer: they throw. */
function findRefusingAnswers(file: Pick<SourceFile, 'path' | 'text'>): string[] {
  return listNamed(parseNodes(file)).flatMap(({ name, made }) => {
    const isThrowing = listNodes(made.body, 'own').some(
      ({ type, callee }) => type === 'ThrowStatement' || (callee && isRefusing(callee)),
    )
    return /^(is|has|may)$/.test(toFirstWord(name)) && isThrowing ? [`${file.path}: ${name} can throw`] : []
  })
}

/** Lists the functions of a file that are named `find…`, end by throwing, and name no `undefined` in their result. */
function findEndingThrows(file: Pick<SourceFile, 'path' | 'text'>): string[] {
  return listNamed(parseNodes(file)).flatMap(({ name, made }) => {
    const statements = Array.isArray(made.body.body) ? (made.body.body as readonly SyntaxNode[]) : []
    if (toFirstWord(name) !== 'find' || statements.at(-1)?.type !== 'ThrowStatement') return []
    const isAbsent = made.returnType && listNodes(made.returnType).some(({ type }) => type === 'TSUndefinedKeyword')
    return isAbsent ? [] : [`${file.path}: ${name} ends by throwing`]
  })
}

/** Lists the functions of a file that are named `read…` although they work on what they are given. */
function findReadingNothing(file: Pick<SourceFile, 'path' | 'text'>): string[] {
  const named = listNamed(parseNodes(file)).filter((each) => !isKeyOfTable(each))
  const own = Map.groupBy(named, ({ name }) => name)
  /** Finds the functions of this file that a call can be of: methods of the same object, or what is called by its name alone. */
  const findDeclared = ({ name, object, property }: SyntaxNode) =>
    name !== undefined
      ? (own.get(name) ?? []).filter(({ declared }) => isBesideOthers(declared))
      : object?.type === 'ThisExpression'
        ? (own.get(property?.name ?? '') ?? []).filter(({ declared }) => !isBesideOthers(declared))
        : []
  const isReading = ({ made }: NamedFunction, above: readonly SyntaxNode[] = []): boolean => {
    if (above.includes(made)) return false
    const stated = [...made.params, ...(made.returnType ? [made.returnType] : [])].flatMap((each) => listNodes(each))
    if (isPromising(made) || stated.some(({ typeName }) => streams.test(typeName?.name ?? ''))) return true
    return listNodes(made.body).some(({ type, callee, tag, property }) => {
      // SQLite reads a row, and every process has its standard input.
      if (type === 'AwaitExpression' || tag?.property?.name === 'get' || property?.name === 'stdin') return true
      const declared = callee ? findDeclared(callee) : []
      return declared.length > 0
        ? declared.some((each) => isReading(each, [...above, made]))
        : reading.test(callee?.property?.name ?? callee?.name ?? '')
    })
  }
  return named
    .filter((each) => toFirstWord(each.name) === 'read' && !isReading(each))
    .map(({ name }) => `${file.path}: ${name} reads nothing`)
}

/** Types of what gives its content piece by piece. */
const streams = /(Stream|Readable|Socket|AsyncIterable)$/

/** Functions of ours and of Node that read. */
const reading = /^((read|fetch|open)(?![a-z])|([fl]?stat|readdir|readlink)(Sync)?$)/

/** Functions that throw where something is not permitted. */
function isRefusing({ name, property }: SyntaxNode): boolean {
  return /^(refuse|require|throwIfAborted)/.test(property?.name ?? name ?? '')
}

/** Words of the glossary that promise a value and nothing else. */
const promising =
  /^(parse|render|to|from|is|has|may|detect|compute|digest|compare|count|match|merge|select|choose|sort|summarize|convert|expand|omit|join|split|group|round|describe|explain|normalize|restrict|strip|drop|escape|encode|decode|quote|redact|hide|cut|validate|define)(?![a-z])/

/** Finds the variable of which a node changes something inside. */
function findChanged({ type, operator, left, argument, callee }: SyntaxNode): string | undefined {
  if (type === 'CallExpression' && callee!.type === 'MemberExpression')
    return changing.test(callee!.property?.name ?? '') ? findRoot(callee!.object!) : undefined
  const target = type === 'AssignmentExpression' ? left : argument
  const isChange = /^(Assignment|Update)Expression$/.test(type) || operator === 'delete'
  return isChange && target?.type === 'MemberExpression' ? findRoot(target) : undefined
}

const changing = /^(push|pop|shift|unshift|splice|sort|reverse|set|add|delete|clear|fill)$/

/** A variable itself, or a member of one: a buffer that is made and written in one expression belongs to the function. */
function isTelling({ name, object, property }: SyntaxNode): boolean {
  if (name !== undefined) return /^((tell|write|send|print|fetch)(?![a-z])|observe$|readFile)/.test(name)
  return /^(warn|tell|write|observe|fetch|readFile)$/.test(property?.name ?? '') && findRoot(object!) !== undefined
}

/** A function that gives a promise may read the disk or ask over the network, whatever its word. */
function isAsking({ name = '' }: SyntaxNode): boolean {
  return /^(fetch|send|readFile)/.test(name)
}
