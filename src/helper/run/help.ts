import { arch } from 'node:os'
import { digestNames } from '../../runtime/digest.ts'
import { exitStatus, outcomeStatus, toOneLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { selectNameSource } from '../../vendor/setting.ts'
import { vendor } from '../../vendor.ts'
import { commit, version } from '../../version.ts'
import type { AnyHelper, HelperCommand } from '../define-helper.ts'
import { commonOptions } from '../options/every-helper-options.ts'
import { type OptionRow, renderPlaceholder } from '../options/option-table.ts'
import { listVariables } from '../options/option-value.ts'
import { createCommands } from './commands.ts'

/** Renders the text of `--help` from the helper's table, in lines of at most `columns` characters. */
export function renderHelp(
  program: string,
  helper: AnyHelper,
  files: { user: string; machine: string },
  { columns = defaultColumns, extent = 'usual' }: { columns?: number | undefined; extent?: HelpExtent } = {},
): string {
  const chooseRows = (table: Readonly<Record<string, OptionRow>>, names: readonly string[] | undefined) =>
    Object.entries(table).filter(([name]) => extent === 'all' || names === undefined || names.includes(name))
  const options = `${program}: ${helper.summary}

Usage: ${program} [OPTIONS]${renderCommands(program, helper)}

Options
${renderRows(chooseRows(helper.options, helper.help?.options))}
Options of every helper
${renderRows(chooseRows(commonOptions, usualCommonOptions))}${extent === 'usual' ? `\nAll options: ${program} --help all\n` : ''}
Each option can also be set by the variable beside it, or in a JSON file under its name without dashes. The first of these counts: ${settingOrder}.
`
  // Not wrapped, so that a path with spaces, or an example, can be copied.
  const paths = `  user's file     ${toOneLine(files.user)}\n  machine's file  ${toOneLine(files.machine)}\n`
  const statuses = `Exit status\n${renderStatuses('helpers')}`
  const middle = wrapWords(renderFacts(helper.facts) + statuses, columns)
  return `${wrapWords(options, columns)}${paths}\n${middle}\n${renderExamples(program, helper)}`
}

/** The places of a setting, the first of which has precedence. */
export const settingOrder =
  "a setting that the machine's file locks, arguments, environment, user's file, machine's file, default"

/** The options that `--help` shows: the usual ones, or all of them after `--help all`. */
type HelpExtent = 'usual' | 'all'

/** The options of every helper that its `--help` shows. */
const usualCommonOptions = ['client-ttl', 'header', 'format', 'explain', 'help', 'version']

function renderCommands(program: string, helper: AnyHelper): string {
  const commands = Object.entries(createCommands(helper))
  const longest = Math.max(...commands.map(([name]) => name.length))
  return commands
    .map(([name, command]) => {
      const own = listOwnOptions(command)
      const more = own.length === 0 ? '' : ` (${own.join(', ')})`
      return `\n       ${program} ${`${name} [OPTIONS]`.padEnd(longest + 10)}  ${command.summary}${more}`
    })
    .join('')
}

/** Lists the options that a command has in addition to the helper's, as they are typed. */
export function listOwnOptions({ options = {} }: HelperCommand): string[] {
  return Object.entries(options).map(([name, row]) => nameOption(name, row))
}

/** Renders the text of `--version`. Two clients may have the same display name, so `names` distinguishes them. */
export function renderVersion(program: string, runtimeVersion: string): string {
  const names = `for ${vendor.name}, names ${digestNames(vendor)}`
  return `${program} ${version} (commit ${commit}, runtime ${runtimeVersion}, ${names})\n`
}

/** Renders the version for an inventory of many machines: one JSON document on one line. */
export function renderVersionJson(program: string, { runtimeVersion, platform }: Host): string {
  const { from, path } = selectNameSource()
  const names = { name: vendor.name, names: digestNames(vendor), from, path }
  return `${JSON.stringify({ program, version, commit, runtime: `node ${runtimeVersion}`, platform, arch: arch(), vendor: names })}\n`
}

/** Returns whether arguments ask for {@link renderVersionJson}. */
export function isVersionJson(argv: readonly string[]): boolean {
  const [first = '', second = ''] = argv.toSorted()
  return argv.length === 2 && ['--json --version', '--json -V'].includes(`${first} ${second}`)
}

function renderRows(rows: readonly (readonly [name: string, row: OptionRow])[]): string {
  return rows.map(([name, row]) => renderRow(name, row)).join('')
}

function renderFacts(facts: readonly string[]): string {
  return facts.length === 0 ? '' : `Headers may use ${facts.map((fact) => `{${fact}}`).join(', ')}.\n\n`
}

function renderExamples(program: string, { help }: AnyHelper): string {
  const examples = help?.examples ?? ['--explain', '--format headers']
  return `Examples\n${examples.map((words) => `  ${program} ${words}\n`).join('')}`
}

function renderRow(name: string, row: OptionRow): string {
  const lines = describeOption(name, row).map((line) => `      ${line}\n`)
  return `  ${nameOption(name, row)}\n${lines.join('')}`
}

/** Renders an option with the placeholder of its value: `--region TEXT`. */
export function nameOption(name: string, row: OptionRow): string {
  return `${renderSpelling(name, row)} ${renderPlaceholder(row)}`.trimEnd()
}

/** Describes an option: its purpose, and in a second line its default and variables, if it has any. */
export function describeOption(name: string, row: OptionRow): string[] {
  const notes = [
    row.default === undefined ? undefined : `default: ${row.default}`,
    listVariables(name, row).join(', ') || undefined,
    row.only === "machine's file" ? "in the machine's file only" : undefined,
  ].filter((note) => note !== undefined)
  return notes.length === 0 ? [row.summary] : [row.summary, `[${notes.join('; ')}]`]
}

function renderSpelling(name: string, { short, only }: OptionRow): string {
  if (only === "machine's file") return name
  return short === undefined ? `--${name}` : `-${short}, --${name}`
}

/** The meaning of each exit status, the same in every helper and every command; docs/exit-status.md says what to do. */
const statusMeanings: readonly (readonly [status: number, meaning: string])[] = [
  [outcomeStatus.done, 'done; the answer, or the token, is on stdout'],
  [outcomeStatus.no, 'done, and the answer is no: errors, a difference, a failed rule, a lost turn'],
  [exitStatus.usage, 'the command line, a variable or a document cannot be used, or nobody could be asked'],
  [exitStatus['not-configured'], 'something that it needs is missing or malformed'],
  [exitStatus['sign-in-required'], 'a person has to sign in first'],
  [exitStatus.refused, 'refused: by a server, by the system, or by you when you were asked'],
  [exitStatus.unavailable, 'a server cannot be reached, or fails'],
  [exitStatus.late, 'no token before the client stops waiting'],
  [exitStatus.bug, 'a defect of this program'],
  [exitStatus.unwritable, 'stdout cannot be written: read-only, full, or nobody reads it any more'],
  [outcomeStatus.interrupted, 'interrupted'],
]

/** Lists the statuses that helpers use, or all. */
export function listStatuses(whose: 'helpers' | 'commands'): (typeof statusMeanings)[number][] {
  const ofHelpers: readonly number[] = [outcomeStatus.done, ...Object.values(exitStatus)]
  return statusMeanings.filter(([status]) => whose === 'commands' || ofHelpers.includes(status))
}

/** Renders rows of a help text, one for each status. */
export function renderStatuses(whose: 'helpers' | 'commands'): string {
  return listStatuses(whose)
    .map(([status, meaning]) => `  ${String(status).padEnd(3)}  ${meaning}\n`)
    .join('')
}

/** The width of a text in characters, if no terminal has a width. */
export const defaultColumns = 80

/**
 * Breaks lines that are wider than `columns` between words; a longer word stays whole. Text after a break keeps the
 * indentation of its line, or begins below the second column where the line has two and a third of the width is left.
 */
export function wrapWords(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line.length <= columns ? line : wrapLine(line, columns)))
    .join('\n')
}

function wrapLine(line: string, columns: number): string {
  const indentation = /^ */.exec(line)?.[0] ?? ''
  const column = /^ *\S.*? {2,}(?=\S)/.exec(line)?.[0] ?? indentation
  const indent = ' '.repeat(columns - column.length >= columns / 3 ? column.length : indentation.length)
  const [first = '', ...words] = line.slice(column.length).split(' ')
  const lines = [column + first]
  for (const word of words) {
    const last = lines.at(-1) ?? ''
    if (last.length + 1 + word.length <= columns) lines.splice(-1, 1, `${last} ${word}`)
    else lines.push(indent + word)
  }
  return lines.join('\n')
}
