import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { longestFileBytes, readIfPresent } from '../runtime/disk.ts'
import { HelperError, toOneLine } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'
import { refuseUnsafeFile } from '../runtime/machine/unsafe-links.ts'
import { parseJsonText } from '../runtime/values/json-text.ts'
import { vendorRules } from '../vendor/rules.ts'
import { toVendor, type VendorKey, type VendorSetting, vendorFileName } from '../vendor/setting.ts'
import { validateVendorSetting } from '../vendor/validate-setting.ts'
import type { Cli } from './cli.ts'
import { describeSource } from './read-source.ts'

/** `gatepass vendor check`: what is wrong with a vendor file, or every name that follows from it. */
export function addVendorCheck(vendor: Command, cli: Cli): void {
  vendor
    .command('check')
    .description('say everything that is wrong with a vendor file, or every name that follows from it')
    .argument(
      '<file>',
      'the file, or - for standard input; only an administrator may be able to write the file of a machine',
    )
    .addHelpText('after', '\nExit status: 0 if it can be used, 1 if not, 2 if it is not a JSON object.')
    .action((path: string) => check(cli, path))
}

async function check({ host, terminal, setExitStatus }: Cli, path: string): Promise<void> {
  const text = path === '-' ? await readStandard(host) : await readIfPresent(path)
  if (text === undefined) throw new HelperError('usage', `${path} does not exist`, 'name an existing vendor file')
  const parsed = parseJsonText(text.replace(/^\uFEFF/, ''))
  const shown = toOneLine(describeSource(path))
  if ('problem' in parsed) {
    const place = 'at' in parsed ? ` (line ${parsed.at.line}, column ${parsed.at.column})` : ''
    setExitStatus(2)
    return terminal.print(`${shown} is not JSON${place}.\n`)
  }
  const result = validateVendorSetting(parsed.value)
  const problems = [
    ...parsed.oddKeys
      .filter(({ problem }) => problem === 'duplicate')
      .map(({ path: key }) => `${key} stands there twice`),
    ...('problems' in result ? result.problems : []),
    ...(await findUnsafe(host, path)),
  ]
  setExitStatus(problems.length === 0 ? 0 : 1)
  if ('setting' in result && problems.length === 0)
    return terminal.print(
      `${shown} can be used. These names follow from it; look up those that are derived.\n\n${renderNames(listNames(result.setting))}`,
    )
  terminal.print(`${shown} cannot be used:\n${problems.map((problem) => `  ${toOneLine(problem)}\n`).join('')}`)
}

/** @throws {HelperError} `usage` for more than a file may have. */
async function readStandard({ streams }: Host): Promise<string> {
  const bytes = await streams.stdin(longestFileBytes, () => false)
  if (bytes.length <= longestFileBytes) return Buffer.from(bytes).toString('utf8')
  throw new HelperError('usage', 'standard input is too long', 'pipe the text of one vendor file in')
}

/** Why programs would refuse the machine's file although its content is right. */
async function findUnsafe({ platform, machineDirectory }: Host, path: string): Promise<string[]> {
  if (path === '-' || platform === 'win32' || resolve(path) !== join(machineDirectory, vendorFileName)) return []
  try {
    await refuseUnsafeFile(path, 'root')
    return []
  } catch (error) {
    if (!(error instanceof HelperError)) throw error
    return [`${error.message} (${error.hint})`]
  }
}

/** A name, and who says it. */
interface ShownName {
  readonly value: string
  readonly from: 'given' | 'derived'
}

/** Every name that follows from a setting: first those that a file can set. */
export function listNames(setting: VendorSetting): ReadonlyMap<string, ShownName> {
  const settable = Object.keys(vendorRules) as VendorKey[] // the table's own
  const all = Object.entries(toVendor(setting))
  const rank = (name: string) => [...settable, name].indexOf(name as VendorKey)
  return new Map(
    all
      .toSorted(([a], [b]) => rank(a) - rank(b))
      .map(([name, value]) => [name, { value, from: name in setting ? 'given' : 'derived' }]),
  )
}

/** One line for each name, in columns. */
export function renderNames(names: ReadonlyMap<string, ShownName>): string {
  const width = Math.max(...[...names.keys()].map((name) => name.length))
  return [...names]
    .map(([name, { value, from }]) => `  ${name.padEnd(width)}  ${value}${from === 'derived' ? '  (derived)' : ''}\n`)
    .join('')
}
