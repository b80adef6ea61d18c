import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { readAnswer } from '../../api/request/read-answer.ts'
import { sendRequest } from '../../api/request/send-request.ts'
import { dropWriteOnly } from '../../api/write-only.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import type { Cli } from '../cli.ts'
import { addConnectionOptions, type ConnectionFlags, resolveConnection } from './connection.ts'
import { readInput } from './input.ts'
import { listPages } from './pages.ts'
import { printJson, renderEach, renderJson } from './print.ts'
import { renderSelected, selectValues } from './select.ts'

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
    .addArgument(new Argument('<method>', 'the method').argParser(parseMethod))
    .addArgument(new Argument('<path>', 'the path, such as /v1/messages, with its query').argParser(parsePath))
    .option(
      '--field <name=value...>',
      'a member of the body, as text; name:=value for JSON; with GET, of the query',
      collectField,
    )
    .addOption(new Option('--input <file>', 'the body; - for standard input').conflicts('field'))
    .option('--paginate', 'follow next_page, and print each item as one line of JSON')
    .option('--select <path>', 'print only what is at this path, such as data.*.id')
  addConnectionOptions(command).action(async (method: string, path: string, flags: RequestFlags) =>
    request(cli, method, path, flags),
  )
}

async function request(cli: Cli, method: string, path: string, flags: RequestFlags): Promise<void> {
  const { terminal } = cli
  const isRead = method === 'GET' || method === 'HEAD'
  refuseMisplacedOptions(flags, isRead)
  const target = isRead ? withQuery(path, flags.field ?? {}) : path
  const body =
    flags.input === undefined ? renderFields(isRead ? undefined : flags.field) : await readInput(cli, flags.input)
  const connection = await resolveConnection(cli, flags)
  const render = (value: unknown) =>
    flags.select === undefined
      ? `${renderJson(value)}\n`
      : selectValues(value, flags.select).map(renderSelected).join('')
  if (flags.paginate) {
    return terminal.printAll(renderEach(listPages(connection, target), render))
  }
  const response = await sendRequest(connection, { method, path: target, body })
  const type = response.headers.get('content-type') ?? 'nothing'
  if (method === 'HEAD' || !type.startsWith('application/json')) return passOn(cli, response, type, flags)
  const value = await readAnswer(response, dropWriteOnly)
  if (flags.select === undefined) printJson(terminal, value)
  else terminal.printExact(render(value))
}

function refuseMisplacedOptions({ paginate, input }: RequestFlags, isRead: boolean): void {
  if (paginate && !isRead) throw new HelperError('usage', '--paginate is for lists', 'use it with GET')
  if (input !== undefined && isRead)
    throw new HelperError('usage', '--input is a body, which GET does not have', 'use --field for the query, or POST')
}

/** A stream is passed on as it comes. */
async function passOn({ terminal }: Cli, response: Response, type: string, { select }: RequestFlags): Promise<void> {
  if (select !== undefined) {
    await response.body?.cancel()
    throw new HelperError('refused', `the answer is no JSON (${toOneLine(type)})`, 'leave --select out')
  }
  if (response.body) await terminal.printAll(response.body)
}

function parseMethod(text: string): string {
  if (isMethod(text)) return text.toUpperCase()
  throw new InvalidArgumentError('expected a method, such as GET.')
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Whether a word is a method of HTTP, in any case. */
export function isMethod(text: string): boolean {
  return methods.has(text.toUpperCase())
}

function parsePath(text: string): string {
  if (text.startsWith('/')) return text
  throw new InvalidArgumentError('expected a path that begins with /.')
}

function collectField(text: string, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const [, name, mark, value] = /^([^=:]+)(:?=)(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('expected name=value or name:=JSON.')
  if (Object.hasOwn(before, name)) throw new InvalidArgumentError(`${JSON.stringify(name)} is given twice.`)
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
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])
  if (texts.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(texts)}`
}

function renderFields(fields: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return fields && JSON.stringify(fields)
}
