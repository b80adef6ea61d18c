import type { Command } from 'commander'
import { renderJsonSchema } from '../../config/render/json-schema.ts'
import type { Cli } from '../cli.ts'

/** `gatepass config schema`: for editors and other validators. */
export function addConfigSchema(config: Command, { terminal }: Cli): void {
  config
    .command('schema')
    .description('print the JSON Schema (2020-12) of the nested form')
    .action(() => terminal.print(`${JSON.stringify(renderJsonSchema(), undefined, 2)}\n`))
}
