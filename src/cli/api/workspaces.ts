import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { addConnectionOptions, type ConnectionFlags, openApi } from './connection.ts'
import { printItems } from './print.ts'

interface ListFlags extends ConnectionFlags {
  readonly includeDefault?: true
  readonly json?: true
}

/** `gatepass api workspaces …`: where requests can act. */
export function addApiWorkspaces(api: Command, cli: Cli): void {
  const workspaces = api.command('workspaces').description('workspaces of the organization')
  const list = workspaces
    .command('list')
    .description('one line each: id, name')
    .option('--include-default', 'the Default Workspace too')
    .option('--json', 'one JSON object a line')
  addConnectionOptions(list).action(async (flags: ListFlags) => {
    const { workspaces } = await openApi(cli, flags)
    const items = workspaces.iterate(flags.includeDefault ? { includeDefault: true } : {})
    await printItems(cli.terminal, items, flags.json ? 'json' : ['id', 'name'])
  })
}
