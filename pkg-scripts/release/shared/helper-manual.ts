import type { AnyHelper, HelperCommand } from '../../../src/helper/define-helper.ts'
import { commonOptions } from '../../../src/helper/options/every-helper-options.ts'
import { locateOptionFiles } from '../../../src/helper/options/option-files.ts'
import { createCommands } from '../../../src/helper/run/commands.ts'
import { describeOption, listOwnOptions, nameOption, settingOrder } from '../../../src/helper/run/help.ts'
import { machineDirectories } from '../../../src/runtime/host.ts'
import { createStatusSection, listSupportSections } from './closing-sections.ts'
import { type ManualSection, renderManual, type Term } from './manual.ts'

/** Renders the page of one helper, from the table that its `--help` is made of. */
export function renderHelperManual(name: string, helper: AnyHelper, others: readonly string[], time: Date): string {
  const commands = Object.entries(createCommands(helper))
  const sections: ManualSection[] = [
    {
      title: 'SYNOPSIS',
      example: [`${name} [OPTIONS]`, ...commands.map((command) => `${name} ${toTyped(command)} [OPTIONS]`)].join('\n'),
    },
    { title: 'DESCRIPTION', paragraphs: description },
    ...(commands.length === 0 ? [] : [{ title: 'COMMANDS', terms: commands.map(toCommandTerm) }]),
    { title: 'OPTIONS', paragraphs: [precedence], terms: toTerms(helper.options) },
    { title: 'OPTIONS OF EVERY HELPER', terms: toTerms(commonOptions) },
    { title: 'FILES', terms: listFiles(name) },
    createStatusSection('helpers'),
    ...listSupportSections(),
    {
      title: 'SEE ALSO',
      paragraphs: [[...others.filter((other) => other !== name), 'gatepass'].map((other) => `${other}(1)`).join(', ')],
    },
  ]
  return renderManual({ name, summary: helper.summary }, sections, time)
}

const description = [
  'Prints one JSON document with a token, and headers if any are configured, for a desktop AI client, which runs it whenever it needs a credential. Where it fails it prints nothing on standard output, and the reason with a way out on standard error.',
  'Where the machine has a vendor.json beside the file of the machine, names of the vendor differ from those on this page; --help prints those in force.',
]

const precedence = `Each option can also be set by the variable that is named below it, or in a JSON file under its name without dashes. The first of these counts: ${settingOrder}.`

function toCommandTerm([name, command]: [string, HelperCommand]): Term {
  return { term: toTyped([name, command]), meaning: [command.summary] }
}

/** Renders a command as it is typed, with the options of its own: `whoami [--json]`. */
function toTyped([name, command]: [string, HelperCommand]): string {
  return [name, ...listOwnOptions(command).map((option) => `[${option}]`)].join(' ')
}

function toTerms(table: AnyHelper['options']): Term[] {
  return Object.entries(table).map(([name, row]) => ({
    term: nameOption(name, row),
    meaning: describeOption(name, row),
  }))
}

/** Lists the paths on both systems that have manual pages. */
function listFiles(name: string): Term[] {
  const linux = locateOptionFiles(
    { env: {}, home: '~', platform: 'linux', machineDirectory: machineDirectories.linux },
    name,
  )
  const macos = locateOptionFiles(
    { env: {}, home: '~', platform: 'darwin', machineDirectory: machineDirectories.macos },
    name,
  )
  return [
    { term: linux.user, meaning: [`the user's file; on macOS ${macos.user}`] },
    { term: linux.machine, meaning: [`the machine's file; on macOS ${macos.machine}`] },
  ]
}
