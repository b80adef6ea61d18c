import type { Command } from 'commander'
import { addApiEvents } from './api-events.ts'
import { addApiKeys } from './api-keys.ts'
import { addApiMessages } from './api-messages.ts'
import { addApiRequest } from './api-request.ts'
import { addApiResources } from './api-resources.ts'
import { addApiWorkspaces } from './api-workspaces.ts'
import type { Cli } from './cli.ts'

/** `gatepass api …`: the platform's HTTP API, for scripts and for people. */
export function addApi(program: Command, cli: Cli): void {
  const api = program.command('api').description("use the platform's HTTP API: any request, or one of its operations")
  addApiRequest(api, cli)
  addApiResources(api, cli)
  addApiEvents(api, cli)
  addApiMessages(api, cli)
  addApiKeys(api, cli)
  addApiWorkspaces(api, cli)
}
