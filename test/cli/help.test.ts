import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { importHelper, listHelpers } from '../../pkg-scripts/tree.ts'
import { createProgram } from '../../src/cli/run-cli.ts'
import type { AnyHelper } from '../../src/helper/define-helper.ts'
import { requireArguments } from '../../src/helper/options/arguments.ts'
import { commonOptions } from '../../src/helper/options/every-helper-options.ts'
import { createCommands as createHelperCommands } from '../../src/helper/run/commands.ts'
import { renderHelp } from '../../src/helper/run/help.ts'
import { digestNames } from '../../src/runtime/digest.ts'
import { vendor } from '../../src/vendor.ts'
import { version } from '../../src/version.ts'
import { prints } from '../setup/run-program.ts'
import { listCommands } from './list-commands.ts'
import { createTestCli, runHere } from './run-here.ts'

/** Lines that could have been broken: what stands alone in its line or in its column is one word. */
function findWide(text: string, columns: number): string[] {
  const lines = text.split('\n').filter((line) => line.length > columns)
  return lines.filter((line) =>
    line
      .trim()
      .replace(/^\S.*? {2,}/, '')
      .includes(' '),
  )
}

test('the help of every command wraps at words, in the width of the terminal', async () => {
  const commands = listCommands(await createProgram((await createTestCli([])).cli))
  expect(commands.length).toBeGreaterThan(35)
  const shown = commands.map(async (words) => {
    const { stdout, ...rest } = await runHere([...words, '--help'])
    return { words, ...rest, wide: findWide(stdout, 80) }
  })
  expect(await Promise.all(shown)).toEqual(commands.map((words) => ({ words, stderr: '', status: 0, wide: [] })))
})

test('the help of a command wraps at words in a narrow terminal too', async () => {
  const narrow = await runHere(['check-helper', '--help'], 60)
  const whole = await runHere(['check-helper', '--help'], 2000)
  const [wrapped = ''] = narrow.stdout.split('\nExamples:\n')
  expect({ wide: findWide(wrapped, 60), words: narrow.stdout.split(/\s+/) }).toEqual({
    wide: [],
    words: whole.stdout.split(/\s+/),
  })
})

test('the help of every command ends with two or three examples, which fit 80 columns and can be parsed', async () => {
  const commands = listCommands(await createProgram((await createTestCli([])).cli))
  const help = await Promise.all(commands.map(async (words) => (await runHere([...words, '--help'], 60)).stdout))
  const ends = help.map((text) => /\n\nExamples:\n((?: {2}.{1,78}\n)+)$/.exec(text)?.[1] ?? '')
  const shown = ends.map((end) => joinLines(end.replaceAll(/^ {2}/gm, '')))
  const unknown = [...new Set(shown.flat())].map(async (line) => ((await isUnderstood(line)) ? [] : [line]))
  expect({
    withOthers: commands.filter((_, index) => ![2, 3].includes(shown[index]?.length ?? 0)),
    unknown: (await Promise.all(unknown)).flat(),
  }).toEqual({ withOthers: [], unknown: [] })
})

/** Returns the command lines of a text in which a backslash continues a line. */
function joinLines(text: string): string[] {
  return text
    .replaceAll(/\\\n */g, '')
    .trimEnd()
    .split('\n')
}

/** Returns whether every call of `gatepass` in a line for a shell is a command that accepts its arguments. */
async function isUnderstood(line: string): Promise<boolean> {
  const calls = [...line.matchAll(/gatepass ((?:"[^"]*"|'[^']*'|[^|<>)'"])+)/g)].map(([, words = '']) =>
    splitWords(words),
  )
  const outcomes = calls.map(async (argv) => {
    const { cli } = await createTestCli(argv)
    const program = await createProgram(cli)
    for (const command of listAll(program)) command.configureOutput({ writeErr: () => {} }).action(() => {})
    const parsing = program.parseAsync(argv, { from: 'user' })
    return parsing.then(
      () => true,
      ({ code }) => code === 'commander.helpDisplayed',
    )
  })
  return calls.length > 0 && (await Promise.all(outcomes)).every(Boolean)
}

function splitWords(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}

function listAll(command: Command): Command[] {
  return [command, ...command.commands.flatMap(listAll)]
}

describe.each(listHelpers())('the help of %s', async (name) => {
  const helper = await importHelper(name)
  const render = (how: Parameters<typeof renderHelp>[3]) =>
    renderHelp(name, helper, { user: '/home/u/.config/gatepass/x.json', machine: '/etc/gatepass/x.json' }, how)

  test.each(['usual', 'all'] as const)('wraps at words, and in 80 columns shows examples whole: %s', (extent) => {
    const [narrow = '', examples = ''] = render({ columns: 60, extent }).split('\nExamples\n')
    expect({
      narrow: findWide(narrow, 60),
      usual: findWide(render({ extent }), 80),
      examples: examples.split('\n').filter((line) => line.length > 80),
    }).toEqual({ narrow: [], usual: [], examples: [] })
  })

  const listSettings = (text: string) =>
    [...text.matchAll(/^ {2}--(\S+)/gm)].map(([, option = '']) => option).filter((option) => option !== 'explain')

  test('shows at most ten options', () => {
    const settings = listSettings(render({}))
    expect({ settings, areFew: settings.length <= 10 }).toEqual({
      settings: [...shown(helper), 'client-ttl', 'header', 'format'],
      areFew: true,
    })
  })

  test('shows every option after "all"', () => {
    const onEveryCall = Object.keys(commonOptions).filter((option) => !notSettings.includes(option))
    expect(listSettings(render({ extent: 'all' }))).toEqual([...Object.keys(helper.options), ...onEveryCall])
  })

  test('ends with examples that can be parsed', async () => {
    const lines = joinLines(render({}).split('\nExamples\n')[1]?.replaceAll(/^ {2}/gm, '') ?? '')
    const programs = lines.map(async (line) => {
      const [program, first = '', ...rest] = splitWords(line)
      const command = createHelperCommands(helper)[first]
      const table = { ...commonOptions, ...helper.options, ...command?.options }
      await requireArguments(name, table, command ? rest : [first, ...rest])
      return program
    })
    expect(await Promise.all(programs)).toBeOneOf([Array(2).fill(name), Array(3).fill(name)])
  })
})

/** Rows of the table that are written otherwise, or are no settings of a call. */
const notSettings = ['sign-in-hint', 'explain', 'help', 'version']

/** In the order of the helper's table. */
function shown({ options, help }: AnyHelper): string[] {
  return Object.keys(options).filter((option) => help === undefined || help.options.includes(option))
}

test('the version and an error stay on lines that scripts can read', async () => {
  expect(await runHere(['--version'], 40)).toEqual(
    prints(`gatepass ${version} (commit unknown, runtime 26.0.0, for ${vendor.name}, names ${digestNames(vendor)})\n`),
  )
  expect(await runHere(['config', 'check', '--jsn', 'a'], 40)).toEqual({
    status: 2,
    stdout: '',
    stderr:
      "gatepass: unknown option '--jsn' (did you mean --json?)\ngatepass: hint: see: gatepass config check --help\n",
  })
})
