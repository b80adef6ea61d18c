// Folder: `gatepass api`: requests to the platform's HTTP API, its credentials and the printed answers.

import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import type { ApiConnection } from '../../api/api-fetch.ts'
import { iteratePages, parseList } from '../../api/list.ts'
import { readAnswer } from '../../api/read-answer.ts'
import { sendRequest } from '../../api/send-request.ts'
import { dropWriteOnly } from '../../api/session-resource.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { parseJson } from '../../runtime/values/json-value.ts'
import { programName } from '../../version.ts'
import type { Cli, ProgramCommand } from '../cli.ts'
import { readText } from '../read-text.ts'
import { addConnectionOptions, type ConnectionFlags, prepareConnection } from './connection.ts'
import { addApiEvents, addApiKeys, addApiMessages, addApiResources, addApiWorkspaces } from './operations.ts'
import { printJson, renderEach, renderJsonLine, renderSelected, selectValues } from './print.ts'

/** `gatepass api …`: the platform's HTTP API, for scripts and for people. */
export const apiCommand: ProgramCommand = {
  add: addApi,
  examples: {
    api: [
      'gatepass api GET /v1/organizations/workspaces --document config.json',
      'gatepass api workspaces list --document config.json',
      'gatepass api messages create Hello --document config.json',
    ],
    'api request': [
      'gatepass api GET /v1/organizations/workspaces --paginate --select id',
      'gatepass api POST /v1/messages --input message.json --document config.json',
    ],
    'api resources': [
      'gatepass api resources list "$SESSION"',
      'gatepass api resources add "$SESSION" "$FILE" --mount-path /mnt/data.csv',
    ],
    'api resources list': [
      'gatepass api resources list "$SESSION"',
      'gatepass api resources list "$SESSION" --json --document config.json',
    ],
    'api resources add': [
      'gatepass api resources add "$SESSION" "$FILE"',
      'gatepass api resources add "$SESSION" "$FILE" --mount-path /mnt/data.csv',
    ],
    'api resources get': [
      'gatepass api resources get "$SESSION" "$RESOURCE"',
      'gatepass api resources get "$SESSION" "$RESOURCE" --document config.json',
    ],
    'api resources rotate': [
      'gatepass api resources rotate "$SESSION" "$RESOURCE" --input token.txt',
      'gatepass api resources rotate "$SESSION" "$RESOURCE" < token.txt',
    ],
    'api events': [
      'gatepass api events send "$SESSION" "run the tests"',
      'gatepass api events send "$SESSION" "run the tests" --document config.json',
    ],
    'api events send': [
      'gatepass api events send "$SESSION" "run the tests"',
      'gatepass api events send "$SESSION" "run the tests" "then the linter"',
    ],
    'api messages': [
      'gatepass api messages create Hello --document config.json',
      'gatepass api messages create "Tell me a story" --stream',
    ],
    'api messages create': [
      'gatepass api messages create Hello --document config.json',
      'gatepass api messages create "Tell me a story" --max-tokens 4096 --stream',
    ],
    'api keys': ['gatepass api keys list', 'gatepass api keys list --json --document config.json'],
    'api keys get': ['gatepass api keys get "$KEY_ID"', 'gatepass api keys get "$KEY_ID" --document config.json'],
    'api keys list': ['gatepass api keys list', 'gatepass api keys list --json --document config.json'],
    'api workspaces': ['gatepass api workspaces list', 'gatepass api workspaces list --include-default'],
    'api workspaces list': ['gatepass api workspaces list', 'gatepass api workspaces list --include-default --json'],
  },
}

function addApi(program: Command, cli: Cli): void {
  const api = program
    .command('api')
    .description("use the platform's HTTP API: any request, or one of its operations")
    .usage('<method> <path> [options] | <command>')
    .hook('preSubcommand', refuseUnknownCommand)
    .addHelpText('after', requestsInHelp)
  addApiRequest(api, cli)
  addApiResources(api, cli)
  addApiEvents(api, cli)
  addApiMessages(api, cli)
  addApiKeys(api, cli)
  addApiWorkspaces(api, cli)
}

const requestsInHelp = `
Any request: ${programName} api GET /v1/sessions/SESSION/resources --select data.*.id
Its options: ${programName} api request --help`

/** Refuses a word that is neither a command nor a method, because an error about a wrong method would mislead. */
function refuseUnknownCommand(api: Command): void {
  const [first] = api.args
  if (first === undefined) api.help({ error: true })
  if (first.startsWith('-') || isMethod(first) || api.commands.some((command) => command.name() === first)) return
  api.error(`error: ${JSON.stringify(first)} is neither a method, such as GET, nor a command of api`)
}

interface RequestFlags extends ConnectionFlags {
  readonly field?: Readonly<Record<string, unknown>>
  readonly input?: string
  readonly paginate?: true
  readonly select?: string
}

/** Adds `gatepass api METHOD PATH`: any request. */
function addApiRequest(api: Command, cli: Cli): void {
  const command = api
    .command('request', { isDefault: true })
    .description('send any request and print the answer; "request" may be left out')
    .addArgument(new Argument('<method>', 'the method').argParser(parseMethod))
    .addArgument(new Argument('<path>', 'the path, such as /v1/messages, with its query').argParser(parsePath))
    .option(
      '--field <name=value...>',
      'a member of the body, as text; name:=value for JSON; with GET, of the query',
      addField,
    )
    .addOption(new Option('--input <file>', 'the body; - for standard input').conflicts('field'))
    .option('--paginate', 'follow next_page, and print each item as one line of JSON')
    .option('--select <path>', 'print only what is at this path, such as data.*.id')
  addConnectionOptions(command).action(async (method: string, path: string, flags: RequestFlags) =>
    runRequest(cli, method, path, flags),
  )
}

function parseMethod(text: string): string {
  if (isMethod(text)) return text.toUpperCase()
  throw new InvalidArgumentError('expected a method, such as GET.')
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Returns whether a word is an HTTP method, in upper or lower case. */
function isMethod(text: string): boolean {
  return methods.has(text.toUpperCase())
}

function parsePath(text: string): string {
  if (text.startsWith('/')) return text
  throw new InvalidArgumentError('expected a path that begins with /.')
}

function addField(text: string, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const [, name, mark, value] = /^([^=:]+)(:?=)(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('expected name=value or name:=JSON.')
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${JSON.stringify(name)} is given twice.`)
  const field = mark === ':=' ? parseJson(value) : value
  if (field === undefined) throw new InvalidArgumentError('the text after := is not JSON.')
  return { ...before, [name]: field }
}

async function runRequest(cli: Cli, method: string, path: string, flags: RequestFlags): Promise<void> {
  const { terminal } = cli
  const isRead = method === 'GET' || method === 'HEAD'
  refuseMisplacedOptions(flags, isRead ? 'read' : 'write')
  const target = isRead ? withQuery(path, flags.field ?? {}) : path
  const fields = isRead || !flags.field ? undefined : JSON.stringify(flags.field)
  const body = flags.input === undefined ? fields : await readText(terminal, flags.input)
  const connection = await prepareConnection(cli, flags)
  const render = (value: unknown) =>
    flags.select === undefined
      ? `${renderJsonLine(value)}\n`
      : selectValues(value, flags.select).map(renderSelected).join('')
  if (flags.paginate) {
    return terminal.printAll(renderEach(iterateItems(connection, target), render))
  }
  const response = await sendRequest(connection, { method, path: target, body })
  const type = response.headers.get('content-type') ?? 'nothing'
  if (method === 'HEAD' || !type.startsWith('application/json')) return printResponse(cli, response, type, flags)
  const value = await readAnswer(response, dropWriteOnly)
  if (flags.select === undefined) printJson(terminal, value)
  else terminal.printExact(render(value))
}

function refuseMisplacedOptions({ paginate, input }: RequestFlags, use: 'read' | 'write'): void {
  if (paginate && use !== 'read') throw new HelperError('usage', '--paginate is for lists', 'use it with GET')
  if (input !== undefined && use === 'read')
    throw new HelperError('usage', '--input is a body, which GET does not have', 'use --field for the query, or POST')
}

function withQuery(path: string, fields: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])
  if (texts.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(texts)}`
}

/** Iterates over the items of any list, page by page. */
async function* iterateItems(connection: ApiConnection, path: string): AsyncGenerator<unknown, void, undefined> {
  yield* iteratePages(async ({ page }) => {
    const target = new URL(path, 'http://any')
    if (page !== undefined) target.searchParams.set('page', page)
    const response = await sendRequest(connection, { method: 'GET', path: target.pathname + target.search })
    return readAnswer(response, (value) => parseList(value, dropWriteOnly))
  })
}

/** Prints a stream as it arrives. */
async function printResponse(
  { terminal }: Cli,
  response: Response,
  type: string,
  { select }: RequestFlags,
): Promise<void> {
  if (select !== undefined) {
    await response.body?.cancel()
    throw new HelperError('refused', `the answer is not JSON (${toOneLine(type)})`, 'run it again without --select')
  }
  if (response.body) await terminal.printAll(response.body)
}
