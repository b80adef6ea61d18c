import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { HelperError, outcomeStatus, toOneLine } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'
import { refuseUnsafeFile } from '../runtime/unsafe-links.ts'
import { parseJsonText } from '../runtime/values/json-text.ts'
import { stripMark } from '../runtime/values/json-value.ts'
import { vendorRules } from '../vendor/rules.ts'
import { toVendor, type VendorKey, type VendorSetting, vendorFileName } from '../vendor/setting.ts'
import { validateVendorSetting } from '../vendor/validate-setting.ts'
import { programName } from '../version.ts'
import type { Cli } from './cli.ts'
import { describeSource } from './read-source.ts'
import { compareInstalled, readVendorFile } from './vendor-installed.ts'

/** Adds `gatepass vendor check`: the problems of a vendor file, or all names that follow from it. */
export function addVendorCheck(vendor: Command, cli: Cli): void {
  vendor
    .command('check')
    .description('say everything that is wrong with a vendor file, or every name that follows from it')
    .argument(
      '[file]',
      'the file, or - for standard input; only an administrator may be able to write the file of a machine',
    )
    .option('--installed', 'compare the file, or else the names in force, with the client on this machine')
    .option('--json', 'with --installed: print one JSON document')
    .addHelpText(
      'after',
      `
Exit status: ${outcomeStatus.done} if it can be used, ${outcomeStatus.no} if not, ${outcomeStatus.usage} if it is not a JSON object.
With --installed: ${outcomeStatus.done} if no name differs, ${outcomeStatus.no} if one does, ${outcomeStatus['not-configured']} if nothing is there to compare with.`,
    )
    .action((path: string | undefined, flags: { readonly installed?: true; readonly json?: true }) => {
      if (flags.installed) return compareInstalled(cli, path, flags.json ? 'json' : 'text')
      if (path !== undefined && !flags.json) return check(cli, path)
      const [message, hint] = flags.json
        ? ['--json is for --installed', 'pass --installed too, or remove --json']
        : ['there is no file to check', `name one, or pass --installed; see: ${programName} vendor check --help`]
      throw new HelperError('usage', message, hint)
    })
}

async function check({ host, terminal, setExitStatus }: Cli, path: string): Promise<void> {
  const text = await readVendorFile(host, path)
  const parsed = parseJsonText(stripMark(text))
  const shown = toOneLine(describeSource(path))
  if ('problem' in parsed) {
    const position = 'at' in parsed ? ` (line ${parsed.at.line}, column ${parsed.at.column})` : ''
    setExitStatus(outcomeStatus.usage)
    return terminal.print(`${shown} is not JSON${position}.\n`)
  }
  const result = validateVendorSetting(parsed.value)
  const problems = [
    ...parsed.oddKeys
      .filter(({ problem }) => problem === 'duplicate')
      .map(({ path: key }) => `${key} stands there twice`),
    ...('problems' in result ? result.problems : []),
    ...(await validateSafety(host, path)),
  ]
  setExitStatus(problems.length === 0 ? outcomeStatus.done : outcomeStatus.no)
  if ('setting' in result && problems.length === 0)
    return terminal.print(
      `${shown} can be used. These names follow from it; look up those that are derived.\n\n${renderNames(toShownNames(result.setting))}`,
    )
  terminal.print(`${shown} cannot be used:\n${problems.map((problem) => `  ${toOneLine(problem)}\n`).join('')}`)
}

/** Returns why programs would refuse the machine's file although its content is valid. */
async function validateSafety({ platform, machineDirectory }: Host, path: string): Promise<string[]> {
  if (path === '-' || platform === 'win32' || resolve(path) !== join(machineDirectory, vendorFileName)) return []
  try {
    await refuseUnsafeFile(path, 'root')
    return []
  } catch (error) {
    if (!(error instanceof HelperError)) throw error
    return [`${error.message} (${error.hint})`]
  }
}

/** A name of the vendor, with the program that uses it. */
interface ShownName {
  readonly value: string
  readonly from: 'given' | 'derived'
}

/** Returns every known name that follows from a setting, first those that a file can set. */
export function toShownNames(setting: VendorSetting): ReadonlyMap<string, ShownName> {
  const settable = Object.keys(vendorRules) as VendorKey[] // keys of the table
  const all = Object.entries(toVendor(setting))
  const rank = (name: string) => [...settable, name].indexOf(name as VendorKey)
  return new Map(
    all
      .filter(([, value]) => value !== '')
      .toSorted(([a], [b]) => rank(a) - rank(b))
      .map(([name, value]) => [name, { value, from: name in setting ? 'given' : 'derived' }]),
  )
}

/** Renders one line for each name, in columns. */
export function renderNames(names: ReadonlyMap<string, ShownName>): string {
  const width = Math.max(...[...names.keys()].map((name) => name.length))
  return [...names]
    .map(([name, { value, from }]) => `  ${name.padEnd(width)}  ${value}${from === 'derived' ? '  (derived)' : ''}\n`)
    .join('')
}
