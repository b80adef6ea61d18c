import type { Command } from 'commander'
import { toOneLine } from '../../runtime/failure.ts'
import { refuseBrokenNames } from '../../runtime/machine/refuse-broken-names.ts'
import { findNameSource, type NameSource } from '../../vendor/name-source.ts'
import { isNeutral, vendorSetting } from '../../vendor.ts'
import type { Cli } from '../cli.ts'
import { programName } from '../program-name.ts'
import { listNames, renderNames } from './render-names.ts'

/** `gatepass vendor show`: every name in force, and where it comes from. */
export function addVendorShow(vendor: Command, { terminal }: Cli): void {
  vendor
    .command('show', { isDefault: true })
    .description('say every name in force, and where they come from')
    .option('--json', 'print one JSON document')
    .action(({ json }: { json?: true }) => {
      refuseBrokenNames()
      const source = findNameSource()
      const names = listNames(vendorSetting)
      const { from, path } = source
      if (json)
        return terminal.print(`${JSON.stringify({ from, path, names: Object.fromEntries(names) }, undefined, 2)}\n`)
      const note = isNeutral
        ? `\nThese are neutral names, which reach no client: see ${programName} vendor init --help\n`
        : ''
      terminal.print(`The names of ${describeSource(source)}\n\n${renderNames(names)}${note}`)
    })
}

function describeSource({ from, path }: NameSource): string {
  if (from === 'build') return 'this build'
  return from === 'machine' ? `the machine, from ${toOneLine(path!)}` : toOneLine(path!)
}
