// `gatepass api keys` and `gatepass api resources`: the keys of an organization and the resources of a session.

import type { Command } from 'commander'
import { uploadsDirectory } from '../../contract/http-api.ts'
import { HelperError } from '../../runtime/failure.ts'
import { describeReadFailure, readNamedFile } from '../../runtime/named-file.ts'
import type { Cli } from '../cli.ts'
import { parseCount } from '../option-values.ts'
import { addConnectionOptions, type ConnectionFlags, openApi } from './open-api.ts'
import { printItems, printJson } from './print.ts'

/** `gatepass api resources …`: the resources of a session. */
export function addApiResources(api: Command, cli: Cli): void {
  const resources = api.command('resources').description('files, repositories and memory stores of a session')
  addList(resources, cli)
  addMount(resources, cli)
  addGet(resources, cli)
  addRotate(resources, cli)
}

interface ResourceListFlags extends ConnectionFlags {
  readonly limit?: number
  readonly json?: true
}

interface AddFlags extends ConnectionFlags {
  readonly mountPath?: string
}

interface RotateFlags extends ConnectionFlags {
  readonly input: string
}

function addList(command: Command, cli: Cli): void {
  const list = command
    .command('list')
    .description('one line each: id, type, creation, mount path')
    .argument('<session>', 'the session')
    .option('--limit <count>', 'how many are fetched at a time', parseCount)
    .option('--json', 'one JSON object a line')
  addConnectionOptions(list).action(async (session: string, flags: ResourceListFlags) => {
    const { resources } = await openApi(cli, flags)
    const items = resources.iterate(session, flags.limit === undefined ? {} : { limit: flags.limit })
    await printItems(cli.terminal, items, flags.json ? 'json' : ['id', 'type', 'created_at', 'mount_path'])
  })
}

function addMount(command: Command, cli: Cli): void {
  const add = command
    .command('add')
    .description('mount an uploaded file')
    .argument('<session>', 'the session')
    .argument('<file>', 'the ID of the file')
    .option('--mount-path <path>', `where (default: ${uploadsDirectory}/<file>)`)
  addConnectionOptions(add).action(async (session: string, file_id: string, flags: AddFlags) => {
    const { resources } = await openApi(cli, flags)
    const { mountPath: mount_path } = flags
    printJson(cli.terminal, await resources.add(session, { file_id, ...(mount_path !== undefined && { mount_path }) }))
  })
}

function addGet(command: Command, cli: Cli): void {
  const get = command
    .command('get')
    .description('show one')
    .argument('<session>', 'the session')
    .argument('<resource>', 'the resource')
  addConnectionOptions(get).action(async (session: string, resource: string, flags: ConnectionFlags) => {
    const { resources } = await openApi(cli, flags)
    printJson(cli.terminal, await resources.get(session, resource))
  })
}

function addRotate(command: Command, cli: Cli): void {
  const rotate = command
    .command('rotate')
    .description('give a repository a new authorization token, which is read and never shown')
    .argument('<session>', 'the session')
    .argument('<resource>', 'the repository')
    .option('--input <file>', 'where the token stands; - for standard input', '-')
  addConnectionOptions(rotate).action(async (session: string, resource: string, flags: RotateFlags) => {
    const token = (await readInput(cli, flags.input)).trim()
    const { resources } = await openApi(cli, flags)
    printJson(cli.terminal, await resources.rotate(session, resource, token))
  })
}

/** The text of a file, or of standard input. */
export async function readInput({ terminal }: Cli, source: string): Promise<string> {
  if (source === '-') return Buffer.concat(await Array.fromAsync(terminal.readInput())).toString('utf8')
  const bytes = await readNamedFile(source).catch((cause: NodeJS.ErrnoException) => {
    const hint = 'name a file, or - for standard input'
    throw new HelperError('usage', `${source} ${describeReadFailure(cause)}`, hint, { cause })
  })
  return bytes.toString('utf8')
}

/** `gatepass api keys …`: API keys as administrators see them. */
export function addApiKeys(api: Command, cli: Cli): void {
  const keys = api.command('keys').description('API keys of the organization')
  const list = keys
    .command('list')
    .description('one line each: id, status, end, name')
    .option('--json', 'one JSON object a line')
  addConnectionOptions(list).action(async (flags: KeyListFlags) => {
    const { keys } = await openApi(cli, flags)
    await printItems(cli.terminal, keys.iterate(), flags.json ? 'json' : ['id', 'status', 'expires_at', 'name'])
  })
  const get = keys.command('get').description('show one').argument('<key>', 'the key')
  addConnectionOptions(get).action(async (key: string, flags: ConnectionFlags) => {
    const { keys } = await openApi(cli, flags)
    printJson(cli.terminal, await keys.get(key))
  })
}

interface KeyListFlags extends ConnectionFlags {
  readonly json?: true
}
