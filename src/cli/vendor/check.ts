import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { readIfPresent } from '../../runtime/files.ts'
import type { Host } from '../../runtime/host.ts'
import { parseJsonText } from '../../runtime/json/json-text.ts'
import { refuseUnsafeFile } from '../../runtime/machine/unsafe-file.ts'
import { vendorFileName } from '../../vendor/name-source.ts'
import { validateVendorSetting } from '../../vendor/validate-setting.ts'
import type { Cli } from '../cli.ts'
import { listNames, renderNames } from './render-names.ts'

/** `gatepass vendor check`: what is wrong with a vendor file, or every name that follows from it. */
export function addVendorCheck(vendor: Command, cli: Cli): void {
  vendor
    .command('check')
    .description('say everything that is wrong with a vendor file, or every name that follows from it')
    .argument('<file>', 'the file; that of the machine may be written by nobody but its administrator')
    .addHelpText('after', '\nExit status: 0 if it can be used, 1 if not, 2 if it is no JSON object.')
    .action((path: string) => check(cli, path))
}

async function check({ host, terminal, setExitStatus }: Cli, path: string): Promise<void> {
  const text = await readIfPresent(path)
  if (text === undefined) throw new HelperError('usage', `${path} does not exist`, 'name an existing vendor file')
  const parsed = parseJsonText(text.replace(/^\uFEFF/, ''))
  const shown = toOneLine(path)
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

/** Why programs would refuse the machine's file although its content is right. */
async function findUnsafe({ platform, machineDirectory }: Host, path: string): Promise<string[]> {
  if (platform === 'win32' || resolve(path) !== join(machineDirectory, vendorFileName)) return []
  try {
    await refuseUnsafeFile(path, 'root')
    return []
  } catch (error) {
    if (!(error instanceof HelperError)) throw error
    return [`${error.message} (${error.hint})`]
  }
}
