import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { addVendorCheck } from './check.ts'
import { addVendorInit } from './init.ts'
import { addVendorShow } from './show.ts'

/** `gatepass vendor …`: the names of the client's vendor. */
export function addVendor(program: Command, cli: Cli): void {
  const vendor = program
    .command('vendor')
    .description('show the names of the client, and check or write a file of them')
  addVendorShow(vendor, cli)
  addVendorCheck(vendor, cli)
  addVendorInit(vendor, cli)
}
