import { toOneLine } from '../../runtime/failure.ts'
import { digestNames } from '../../runtime/machine/digest-names.ts'
import { vendor } from '../../vendor.ts'
import { commit, version } from '../../version.ts'
import type { AnyHelper } from '../define-helper.ts'
import { commonOptions, listVariables, type OptionRow, renderPlaceholder } from '../options/table.ts'
import { listCommands } from './commands/list-commands.ts'
import { renderStatuses } from './exit-statuses.ts'
import { defaultColumns, wrapWords } from './wrap-words.ts'

/** What `--help` prints, derived from the helper's table, in lines of at most so many `columns`. */
export function renderHelp(
  program: string,
  helper: AnyHelper,
  files: { user: string; machine: string },
  columns = defaultColumns,
): string {
  const options = `${program}: ${helper.summary}

Usage: ${program} [OPTIONS]${renderCommands(program, helper)}

Options
${renderRows(helper.options)}
Options of every helper
${renderRows(commonOptions)}
Each option can also be set by the variable beside it, or in a JSON file under its name without dashes. The first of these counts: a setting that the machine's file locks, arguments, environment, user's file, machine's file, default.
`
  // Not wrapped, so that a path with spaces can be copied.
  const paths = `  user's file     ${toOneLine(files.user)}\n  machine's file  ${toOneLine(files.machine)}\n`
  const statuses = `Exit status\n${renderStatuses('helpers')}`
  return `${wrapWords(options, columns)}${paths}\n${wrapWords(renderFacts(helper.facts) + statuses, columns)}`
}

function renderCommands(program: string, helper: AnyHelper): string {
  const commands = Object.entries(listCommands(helper))
  const longest = Math.max(...commands.map(([name]) => name.length))
  return commands
    .map(([name, { summary }]) => `\n       ${program} ${`${name} [OPTIONS]`.padEnd(longest + 10)}  ${summary}`)
    .join('')
}

function renderFacts(facts: readonly string[]): string {
  return facts.length === 0 ? '' : `Headers may use ${facts.map((fact) => `{${fact}}`).join(', ')}.\n\n`
}

/** What `--version` prints. Two clients may have one display name, and `names` tells them apart. */
export function renderVersion(program: string, runtimeVersion: string): string {
  const names = `for ${vendor.name}, names ${digestNames(vendor)}`
  return `${program} ${version} (commit ${commit}, runtime ${runtimeVersion}, ${names})\n`
}

function renderRows(table: Readonly<Record<string, OptionRow>>): string {
  return Object.entries(table)
    .map(([name, row]) => renderRow(name, row))
    .join('')
}

function renderRow(name: string, row: OptionRow): string {
  const lines = describeOption(name, row).map((line) => `      ${line}\n`)
  return `  ${nameOption(name, row)}\n${lines.join('')}`
}

/** An option as it is written, with the placeholder of its value: `--region TEXT`. */
export function nameOption(name: string, row: OptionRow): string {
  return `${renderSpelling(name, row)} ${renderPlaceholder(row)}`.trimEnd()
}

/** What an option is for, and in a second line its default and variables, where there are any. */
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
