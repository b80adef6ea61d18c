import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { addConnectionOptions, type ConnectionFlags, openApi } from './connection.ts'
import { printItems, printJson } from './print.ts'

interface ListFlags extends ConnectionFlags {
  readonly json?: true
}

/** `gatepass api keys …`: API keys as administrators see them. */
export function addApiKeys(api: Command, cli: Cli): void {
  const keys = api.command('keys').description('API keys of the organization')
  const list = keys
    .command('list')
    .description('one line each: id, status, end, name')
    .option('--json', 'one JSON object a line')
  addConnectionOptions(list).action(async (flags: ListFlags) => {
    const { keys } = await openApi(cli, flags)
    await printItems(cli.terminal, keys.iterate(), flags.json ? 'json' : ['id', 'status', 'expires_at', 'name'])
  })
  const get = keys.command('get').description('show one').argument('<key>', 'the key')
  addConnectionOptions(get).action(async (key: string, flags: ConnectionFlags) => {
    const { keys } = await openApi(cli, flags)
    printJson(cli.terminal, await keys.get(key))
  })
}
