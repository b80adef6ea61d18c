// Refuses what the client of a simulation does not have, and lists how it differs from the desktop client.

import type { SimulationEvent } from '../../client/simulation/simulation-event.ts'
import { type AfterRefusal, findRenewedBeforeSec, type HelperClient, hasRequest } from '../../contract/client.ts'
import { type ClientName, clients } from '../../contract/clients.ts'
import { HelperError } from '../../runtime/failure.ts'
import { describeMissingServer } from '../option-values.ts'
import type { NamedScenario } from './read-scenario.ts'
import { computeDayStart, type SimulateFlags } from './stage.ts'

/**
 * Refuses what the chosen client does not have.
 * @throws {HelperError} `usage` for options that belong only to the desktop client, or only to others.
 */
export function refuseClientFlags(source: string | undefined, named: NamedScenario, flags: SimulateFlags): void {
  const { client, command, arg, baseUrl } = flags
  if (client !== 'desktop') {
    refuseDocument(source, named, clients[client])
    refuseHelperFlags(clients[client], flags)
  } else if (command !== undefined || arg !== undefined || baseUrl !== undefined)
    throw new HelperError(
      'usage',
      '--command, --arg and --base-url are for other clients',
      'pass --client, or name a document',
    )
}

/** Refuses a document, and a scenario about one: only the desktop client has it. */
function refuseDocument(source: string | undefined, { name, scenario }: NamedScenario, { title }: HelperClient): void {
  if (source !== undefined) throw new HelperError('usage', `${title} has no document`, 'name its helper with --command')
  const isOfDocument =
    scenario.kind === 'external-idp' ||
    Object.keys(scenario.document).length > 0 ||
    scenario.steps.some(({ type }) => ['document-changes', 'setup-test', 'probe'].includes(type))
  if (isOfDocument)
    throw new HelperError('usage', `${name} is about what only the desktop client has`, 'choose another --scenario')
}

function refuseHelperFlags(client: HelperClient, { command, arg, gateway, baseUrl }: SimulateFlags): void {
  if (arg !== undefined && command === undefined)
    throw new HelperError('usage', '--arg is for a helper that --command names', 'pass --command, or remove it')
  const needsServer = hasRequest(client) && command !== undefined
  if (baseUrl !== undefined && !needsServer)
    throw new HelperError('usage', '--base-url is for helpers that are asked for a server', 'remove --base-url')
  if (baseUrl === undefined && needsServer)
    throw new HelperError('usage', describeMissingServer(client.title), 'pass --base-url')
  if (gateway !== undefined && client.sentAs.includes('signature'))
    throw new HelperError('usage', `${client.title} sign requests, which no simulation does`, 'remove --gateway')
}

/** Lists the differences from the desktop client, as the first line of the timeline. */
export function listDifferences(name: ClientName): SimulationEvent[] {
  if (name === 'desktop') return []
  const row = clients[name]
  const words = [describeRuns(row), afterRefusal[row.refresh.afterRefusal], describeWait(row)].join('; ')
  return [{ type: 'staged', at: computeDayStart(Date.now()), words: `${row.title}: ${words}` }]
}

function describeRuns(client: HelperClient): string {
  const { intervalSec, keptFor } = client.refresh
  const beforeEndSec = findRenewedBeforeSec(client)
  if (keptFor === 'request') return 'the helper runs for each request'
  const early = beforeEndSec ? `${beforeEndSec} s before` : 'at'
  const byEnd = beforeEndSec === undefined ? [] : [`${early} the end that it states`]
  const byTime =
    intervalSec === undefined ? [] : [`after ${intervalSec} s${byEnd.length > 0 ? ' where it states none' : ''}`]
  const times = [...byEnd, ...byTime]
  return times.length === 0 ? 'the helper runs once' : `the helper runs again ${times.join(', ')}`
}

const afterRefusal: Readonly<Record<AfterRefusal, string>> = {
  repeat: 'after a 401 it runs again, and the request is repeated',
  'next-request': 'after a 401 it runs again, and the request is lost',
  erase: 'after a 401 it is told to forget the credential, and the request is lost',
  nothing: 'after a 401 nothing runs, and requests are lost until the end',
}

function describeWait({ waiting: { timeoutSec } }: HelperClient): string {
  return timeoutSec === undefined ? 'the client waits without an end' : `the client waits ${timeoutSec} s`
}
