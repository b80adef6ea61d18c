import { readFile } from 'node:fs/promises'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { sendRequest } from '../api/send-request.ts'
import { HelperError } from '../runtime/failure.ts'
import { addConnectionOptions, type ConnectionFlags, resolveConnection } from './api-connection.ts'
import { listPages } from './api-pages.ts'
import { printJson } from './api-print.ts'
import { renderSelected, selectValues } from './api-select.ts'
import type { Cli } from './cli.ts'

interface RequestFlags extends ConnectionFlags {
  readonly field?: Readonly<Record<string, unknown>>
  readonly input?: string
  readonly paginate?: true
  readonly select?: string
}

/** `gatepass api METHOD PATH`: any request. */
export function addApiRequest(api: Command, cli: Cli): void {
  const command = api
    .command('request', { isDefault: true })
    .description('send any request and print the answer; "request" may be left out')
    .addArgument(new Argument('<method>', 'the method').argParser((text: string) => text.toUpperCase()))
    .addArgument(new Argument('<path>', 'the path, such as /v1/messages, with its query').argParser(parsePath))
    .option(
      '--field <name=value...>',
      'a member of the body, as text; name:=value for JSON; with GET, of the query',
      collectField,
    )
    .addOption(new Option('--input <file>', 'the body; - for standard input').conflicts('field'))
    .option('--paginate', 'follow next_page, and print each item as one line of JSON')
    .option('--select <path>', 'print only what lies there, such as data.*.id')
  addConnectionOptions(command).action(async (method: string, path: string, flags: RequestFlags) =>
    request(cli, method, path, flags),
  )
}

async function request(cli: Cli, method: string, path: string, flags: RequestFlags): Promise<void> {
  const { terminal } = cli
  const isRead = method === 'GET' || method === 'HEAD'
  const target = isRead ? withQuery(path, flags.field ?? {}) : path
  const body =
    flags.input === undefined ? renderFields(isRead ? undefined : flags.field) : await readInput(cli, flags.input)
  const connection = await resolveConnection(cli, flags)
  const show = (value: unknown) =>
    flags.select === undefined
      ? terminal.print(`${JSON.stringify(value)}\n`)
      : terminal.print(selectValues(value, flags.select).map(renderSelected).join(''))
  if (flags.paginate) {
    if (!isRead) throw new HelperError('usage', '--paginate is for lists', 'use it with GET')
    for await (const item of listPages(connection, target)) show(item)
    return
  }
  const response = await sendRequest(connection, { method, path: target, body })
  if (!response.headers.get('content-type')?.startsWith('application/json')) return passOn(cli, response)
  const value: unknown = await response.json()
  if (flags.select === undefined) printJson(terminal, value)
  else show(value)
}

/** A stream is passed on as it comes. */
async function passOn({ terminal }: Cli, response: Response): Promise<void> {
  for await (const chunk of response.body ?? []) terminal.print(chunk)
}

function parsePath(text: string): string {
  if (text.startsWith('/')) return text
  throw new InvalidArgumentError('expected a path that begins with /.')
}

function collectField(text: string, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const [, name, mark, value] = /^([^=:]+)(:?=)(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('expected name=value or name:=JSON.')
  return { ...before, [name]: mark === ':=' ? parseField(value) : value }
}

function parseField(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('what follows := is no JSON.')
  }
}

function withQuery(path: string, fields: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)])
  if (texts.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(texts)}`
}

function renderFields(fields: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return fields && JSON.stringify(fields)
}

/** The text of a file, or of standard input. */
export async function readInput({ terminal }: Cli, source: string): Promise<string> {
  if (source === '-') return Buffer.concat(await Array.fromAsync(terminal.readInput())).toString('utf8')
  return readFile(source, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new HelperError('usage', `cannot read ${source} (${cause.code})`, 'name a file, or - for standard input', {
      cause,
    })
  })
}
