import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { addApiEvents } from './events.ts'
import { addApiKeys } from './keys.ts'
import { addApiMessages } from './messages.ts'
import { addApiRequest, isMethod } from './request.ts'
import { addApiResources } from './resources.ts'
import { addApiWorkspaces } from './workspaces.ts'

/** `gatepass api …`: the platform's HTTP API, for scripts and for people. */
export function addApi(program: Command, cli: Cli): void {
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
Any request: gatepass api GET /v1/sessions/SESSION/resources --select data.*.id
Its options: gatepass api request --help`

/** A word that names no command counts as the method of a request, whose error would mislead for any other word. */
function refuseUnknownCommand(api: Command): void {
  const [first] = api.args
  if (first === undefined) api.help({ error: true })
  if (first.startsWith('-') || isMethod(first) || api.commands.some((command) => command.name() === first)) return
  api.error(`error: ${JSON.stringify(first)} is neither a method, such as GET, nor a command of api`)
}
