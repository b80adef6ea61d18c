import type { Command } from 'commander'
import type { Cli } from './cli.ts'
import { addConfigCheck } from './config-check.ts'
import { addConfigConvert } from './config-convert.ts'
import { addConfigDiff } from './config-diff.ts'
import { addConfigExport } from './config-export.ts'
import { addConfigFields } from './config-fields.ts'
import { addConfigInit } from './config-init.ts'
import { addConfigSchema } from './config-schema.ts'

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
