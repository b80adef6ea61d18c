import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { addConfigCheck } from './check.ts'
import { addConfigConvert } from './convert.ts'
import { addConfigDiff } from './diff.ts'
import { addConfigExport } from './export.ts'
import { addConfigFields } from './fields.ts'
import { addConfigInit } from './init.ts'
import { addConfigSchema } from './schema.ts'

/** `gatepass config …`: the configuration document. */
export function addConfig(program: Command, cli: Cli): void {
  const config = program.command('config').description('read, check, convert and write the configuration document')
  addConfigCheck(config, cli)
  addConfigConvert(config, cli)
  addConfigExport(config, cli)
  addConfigFields(config, cli)
  addConfigSchema(config, cli)
  addConfigInit(config, cli)
  addConfigDiff(config, cli)
}
