// The operations of `gatepass api` that have a command of their own: resources, events, messages, keys and workspaces.

import { type Command, Option } from 'commander'
import { uploadsDirectory } from '../../contract/http-api.ts'
import type { Cli } from '../cli.ts'
import { parseCount } from '../option-values.ts'
import { readText } from '../read-text.ts'
import { addConnectionOptions, type ConnectionFlags, openApi } from './connection.ts'
import { printItems, printJson } from './print.ts'

/** Adds `gatepass api resources …`: the resources of a session. */
export function addApiResources(api: Command, cli: Cli): void {
  const resources = api.command('resources').description('files, repositories and memory stores of a session')
  addList(resources, cli)
  addMount(resources, cli)
  addGet(resources, cli)
  addRotate(resources, cli)
}

interface ListFlags extends ConnectionFlags {
  readonly json?: true
}

function addList(command: Command, cli: Cli): void {
  const list = command
    .command('list')
    .description('one line each: id, type, creation, mount path')
    .argument('<session>', 'the ID of the session')
    .option('--limit <count>', 'how many are fetched at a time', parseCount)
    .option('--json', 'one JSON object a line')
  addConnectionOptions(list).action(async (session: string, flags: ListFlags & { readonly limit?: number }) => {
    const { resources } = await openApi(cli, flags)
    const items = resources.iterate(session, flags.limit === undefined ? {} : { limit: flags.limit })
    await printItems(cli.terminal, items, flags.json ? 'json' : ['id', 'type', 'created_at', 'mount_path'])
  })
}

function addMount(command: Command, cli: Cli): void {
  const add = command
    .command('add')
    .description('mount an uploaded file')
    .argument('<session>', 'the ID of the session')
    .argument('<file>', 'the ID of the file')
    .option('--mount-path <path>', `where (default: ${uploadsDirectory}/<file>)`)
  addConnectionOptions(add).action(
    async (session: string, file_id: string, flags: ConnectionFlags & { readonly mountPath?: string }) => {
      const { resources } = await openApi(cli, flags)
      const { mountPath: mount_path } = flags
      printJson(
        cli.terminal,
        await resources.add(session, { file_id, ...(mount_path !== undefined && { mount_path }) }),
      )
    },
  )
}

function addGet(command: Command, cli: Cli): void {
  const get = command
    .command('get')
    .description('show one resource of a session')
    .argument('<session>', 'the ID of the session')
    .argument('<resource>', 'the ID of the resource')
  addConnectionOptions(get).action(async (session: string, resource: string, flags: ConnectionFlags) => {
    const { resources } = await openApi(cli, flags)
    printJson(cli.terminal, await resources.get(session, resource))
  })
}

function addRotate(command: Command, cli: Cli): void {
  const rotate = command
    .command('rotate')
    .description('give a repository a new authorization token, which is read and never shown')
    .argument('<session>', 'the ID of the session')
    .argument('<resource>', 'the ID of the repository')
    .option('--input <file>', 'a file with the token; - for standard input', '-')
  addConnectionOptions(rotate).action(
    async (session: string, resource: string, flags: ConnectionFlags & { readonly input: string }) => {
      const token = (await readText(cli.terminal, flags.input)).trim()
      const { resources } = await openApi(cli, flags)
      printJson(cli.terminal, await resources.rotate(session, resource, token))
    },
  )
}

/** Adds `gatepass api events …`: events of a session. */
export function addApiEvents(api: Command, cli: Cli): void {
  const events = api.command('events').description('events of a session')
  const send = events
    .command('send')
    .description('send messages of the user, each as an event')
    .argument('<session>', 'the ID of the session')
    .argument('<text...>', 'what to say')
  addConnectionOptions(send).action(async (session: string, texts: readonly string[], flags: ConnectionFlags) => {
    const { events } = await openApi(cli, flags)
    const sent = texts.map((text) => ({ type: 'user.message', content: [{ type: 'text', text }] }) as const)
    printJson(cli.terminal, await events.send(session, sent))
  })
}

interface MessageFlags extends ConnectionFlags {
  readonly model: string
  readonly maxTokens: number
  readonly stream?: true
  readonly json?: true
}

/** Adds `gatepass api messages …`: a question to the model. */
export function addApiMessages(api: Command, cli: Cli): void {
  const messages = api.command('messages').description('messages to a model')
  const create = messages
    .command('create')
    .description('send one message and print the text of the answer')
    .argument('<text>', 'what to say')
    .option('--model <name>', 'the model', 'default')
    .option('--max-tokens <count>', 'how long the answer may be', parseCount, 1024)
    .option('--stream', 'print the events of the answer as they come')
    .addOption(new Option('--json', 'print the whole answer').conflicts('stream'))
  addConnectionOptions(create).action(async (content: string, flags: MessageFlags) => {
    const { messages } = await openApi(cli, flags)
    const request = { model: flags.model, max_tokens: flags.maxTokens, messages: [{ role: 'user', content }] }
    if (flags.stream) {
      const { body } = await messages.stream(request)
      return cli.terminal.printAll(body)
    }
    const answer = await messages.create(request)
    if (flags.json) printJson(cli.terminal, answer)
    else cli.terminal.print(`${(answer.content ?? []).map(({ text = '' }) => text).join('')}\n`)
  })
}

/** Adds `gatepass api keys …`: API keys as administrators see them. */
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
  const get = keys.command('get').description('show one key').argument('<key>', 'the ID of the key')
  addConnectionOptions(get).action(async (key: string, flags: ConnectionFlags) => {
    const { keys } = await openApi(cli, flags)
    printJson(cli.terminal, await keys.get(key))
  })
}

/** Adds `gatepass api workspaces …`: the workspaces of the organization. */
export function addApiWorkspaces(api: Command, cli: Cli): void {
  const workspaces = api.command('workspaces').description('workspaces of the organization')
  const list = workspaces
    .command('list')
    .description('one line each: id, name')
    .option('--include-default', 'the Default Workspace too')
    .option('--json', 'one JSON object a line')
  addConnectionOptions(list).action(async (flags: ListFlags & { readonly includeDefault?: true }) => {
    const { workspaces } = await openApi(cli, flags)
    const items = workspaces.iterate(flags.includeDefault ? { includeDefault: true } : {})
    await printItems(cli.terminal, items, flags.json ? 'json' : ['id', 'name'])
  })
}
