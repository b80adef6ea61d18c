import type { Argument, Command, Option } from 'commander'
import { expect, test } from 'vitest'
import { createProgram } from '../../src/cli/run-cli.ts'
import { programName } from '../../src/version.ts'
import { product } from '../architecture/source-files.ts'
import { parseNodes, type SyntaxNode } from '../architecture/syntax-tree.ts'
import { createTestCli } from './run-here.ts'

/** Stands for what a template puts in. */
const inserted = 'INSERTED'

const program = await createProgram((await createTestCli([])).cli)

test('a command in a hint can be pasted: its words and options exist, and capitals stand for what only the reader knows', () => {
  const texts = product
    .filter(({ text }) => text.includes(programName) || text.includes('programName'))
    .flatMap((file) => parseNodes(file).flatMap(listTexts))
  const lines = texts.flatMap(listCommandLines)
  expect(lines.length).toBeGreaterThan(60)
  expect(lines.flatMap((line) => findProblem(line) ?? [])).toEqual([])
})

test.each([
  ['see: gatepass config chekc FILE', 'config chekc FILE: no such command'],
  ['see: gatepass config', 'config: a command is missing'],
  ['see: gatepass config check', 'config check: document is missing'],
  ['run `gatepass config check`, and correct it', 'config check: document is missing'],
  ['see: gatepass cache clear now', 'cache clear now: now is too much'],
  ['see: gatepass config check FILE --strickt', 'config check FILE --strickt: no option --strickt'],
  ['see: gatepass config check --os', 'config check --os: --os has no value'],
  ['see: gatepass config check --os beos FILE', 'config check --os beos FILE: --os is not beos'],
  [
    'see: gatepass config check explains every rule',
    'config check explains every rule: document is neither one of its choices nor in capitals',
  ],
  ['see: gatepass config convert FILE', 'config convert FILE: --to is missing'],
])('%s is found', (hint, problem) => {
  expect(listCommandLines(hint).map(findProblem)).toEqual([problem])
})

test.each([
  'see: gatepass config check --help',
  'see gatepass simulate --list',
  'as `gatepass config check` does',
  "see: gatepass verify --issuer URL -- followed by the helper's command",
  `see: gatepass config check ${inserted}; then try again`,
])('%s is accepted', (hint) => {
  expect(listCommandLines(hint).map(findProblem)).toEqual([undefined])
})

/** A node that holds a text. */
interface TextNode extends SyntaxNode {
  readonly value?: SyntaxNode
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[]
  readonly expressions?: readonly SyntaxNode[]
}

/** The text of a string or a template; of other nodes nothing. */
function listTexts(node: SyntaxNode): string[] {
  const { type, value, quasis = [], expressions = [] } = node as TextNode
  if (type === 'Literal' && typeof value === 'string') return [value]
  if (type !== 'TemplateLiteral') return []
  const names = expressions.map(({ name }) => (name === 'programName' ? programName : inserted))
  return [quasis.map((quasi, index) => quasi.value.cooked + (names[index] ?? '')).join('')]
}

/** In a hint a command stands after a colon, after "see", or between backticks, where without "run" only its name is meant. */
function listCommandLines(text: string): string[] {
  const places = new RegExp(
    `(?<=: |see |run \`)${programName} ([a-z][^;,)\`\\n]*)|(?<!run )\`${programName} ([a-z -]+)\``,
    'g',
  )
  return [...text.matchAll(places)].map(([, whole, name]) => whole?.trim() ?? `${name} --help`)
}

/** Finds the first problem of a command line without the name of the program. */
function findProblem(line: string): string | undefined {
  const words = line.split(/\s+/)
  const { command, rest } = findCommand(words)
  const problem = findWordProblem(command, rest)
  return problem && `${line}: ${problem}`
}

function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } {
  let command = program
  let rest = words
  for (;;) {
    const named = command.commands.find((child) => [child.name(), ...child.aliases()].includes(rest[0] ?? ''))
    const next = named ?? command.commands.find((child) => child.name() === findDefaultName(command))
    if (!next) return { command, rest }
    command = next
    if (named) rest = rest.slice(1)
  }
}

/** Finds the command that is meant where none is named; commander has no other way to ask for it. */
function findDefaultName(command: object): unknown {
  return '_defaultCommandName' in command ? command._defaultCommandName : undefined
}

function findWordProblem(command: Command, words: readonly string[]): string | undefined {
  const { flags, values, problem } = parseWords(command, words)
  if (problem !== undefined || flags.has('--help')) return problem
  const { registeredArguments } = command
  if (command.commands.length > 0 && registeredArguments.length === 0 && command.options.length === 0)
    return values.length > 0 ? 'no such command' : 'a command is missing'
  const last = registeredArguments.at(-1)
  const extra = last?.variadic ? undefined : values[registeredArguments.length]
  if (extra === inserted) return undefined // further options
  if (extra !== undefined) return `${extra} is too much`
  const missing = registeredArguments.find(({ required }, index) => required && values[index] === undefined)
  if (missing) return `${missing.name()} is missing`
  const wrong = registeredArguments.find(
    (argument, index) => isRefused(argument, values[index]) || isProse(argument, values[index]),
  )
  if (wrong) return `${wrong.name()} is neither one of its choices nor in capitals`
  const unset = command.options.find(({ mandatory, long }) => mandatory && !flags.has(long ?? ''))
  return unset && `${unset.long} is missing`
}

interface ParsedWords {
  readonly flags: ReadonlySet<string>
  readonly values: readonly string[]
  readonly problem?: string
}

function parseWords(command: Command, words: readonly string[]): ParsedWords {
  const known = listOptions(command)
  const flags = new Set<string>()
  const values: string[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index]!
    if (word === '--') return { flags, values: [...values, inserted] } // the words of another program
    if (!word.startsWith('-') || word === '-') {
      values.push(word)
      continue
    }
    const flag = word.replace(inserted, '') // an option that is there or not, such as ` --strict`, begins with a blank
    const option = known.find(({ short, long }) => flag === short || flag === long)
    if (!option) return { flags, values, problem: `no option ${word}` }
    flags.add(option.long ?? flag)
    if (!option.required) continue
    index += 1
    const value = words[index]
    if (value === undefined) return { flags, values, problem: `${flag} has no value` }
    if (isRefused(option, value)) return { flags, values, problem: `${flag} is not ${value}` }
  }
  return { flags, values }
}

/** Lists the options of a command and of those that it belongs to, which take them too. */
function listOptions(command: Command): Option[] {
  return [...command.createHelp().visibleOptions(command), ...(command.parent ? listOptions(command.parent) : [])]
}

/** Returns whether an argument with choices has another value; capitals stand for any of them. */
function isRefused({ argChoices }: Pick<Argument | Option, 'argChoices'>, value: string | undefined): boolean {
  return value !== undefined && argChoices !== undefined && !/^[A-Z]+$/.test(value) && !argChoices.includes(value)
}

/** Returns whether a word belongs to the sentence and not to the command, because it is in small letters where anything can stand. */
function isProse({ argChoices }: Argument, value = ''): boolean {
  return argChoices === undefined && /^[a-z]+$/.test(value)
}
