// Chooses a helper by three answers, from the table in `helper-choices.ts`; `choose.ts` adds the command.

import type { ConfigDocument } from '../config/document.ts'
import { chooseTtlSec, createDocument } from '../config/render/create-document.ts'
import { isContextTold } from '../contract/client.ts'
import { type ClientName, clients } from '../contract/clients.ts'
import { suggestedTimeoutSec } from '../contract/limits.ts'
import type { AnyHelper } from '../helper/define-helper.ts'
import { quoteForShell } from '../runtime/text/quote.ts'
import { locateInstalled } from '../suite/installed-programs.ts'
import { programName } from '../version.ts'
import {
  choices,
  exampleGateway,
  type GatewayKind,
  type HelperChoice,
  type NoChoice,
  type PeopleKind,
} from './helper-choices.ts'

/** The three answers that determine the helper. */
export interface Situation {
  readonly gateway: GatewayKind
  readonly people: PeopleKind
  readonly client: ClientName
}

/**
 * Chooses the helper for a situation, or the reason why none fits; pure.
 * @param helpers The suite's, by name.
 */
export function chooseHelper(situation: Situation, helpers: ReadonlyMap<string, AnyHelper>): Choice | NoChoice {
  const choice = validateClient(situation) ?? choices[situation.gateway][situation.people]
  if ('reason' in choice) return choice
  const declared = helpers.get(choice.helper)
  const notes = [...(choice.note ? [choice.note] : []), ...listClientNotes(situation, choice, declared)]
  if (situation.client === 'desktop') return { ...choice, notes, document: toDocument(choice, declared) }
  return { ...choice, notes, command: renderInitCommand(situation.client, choice) }
}

/** The helper that fits, and its configuration. */
interface Choice extends HelperChoice {
  readonly notes: readonly string[]
  /** For the desktop client: its document. */
  readonly document?: ConfigDocument
  /** For any other client: the command that writes its configuration. */
  readonly command?: string
}

/** Validates that the client can use any helper at this gateway. */
function validateClient({ client, gateway }: Situation): NoChoice | undefined {
  const { title, sentAs, headers } = clients[client]
  if (sentAs.includes('signature'))
    return {
      reason: `${title} sign their requests with the keys of a profile, and send no token`,
      instead: 'name the AWS profile in the tool, which needs no helper for that',
    }
  if (gateway !== 'two' || headers === 'sent') return undefined
  return {
    reason: `${title} sends no headers of a helper, and the second credential goes into one`,
    instead: `have the gateway take one credential from this client, or use a client that sends headers: ${headerClients.join(', ')}`,
  }
}

/** A client of the format headers-json takes headers for one thing beside its model, such as its telemetry. */
const headerClients = Object.entries(clients)
  .filter(([, { headers, format }]) => headers === 'sent' && format !== 'headers-json')
  .map(([name]) => name)

/** Notes for a client that does not tell helpers why they run: such a helper asks no person. */
function listClientNotes({ client }: Situation, { helper }: HelperChoice, declared: AnyHelper | undefined): string[] {
  if (isContextTold(clients[client]) || !declared?.signIn) return []
  return [`sign in by hand, because this client lets nobody be asked: ${helper} sign-in`]
}

function toDocument({ helper, args }: HelperChoice, declared: AnyHelper | undefined): ConfigDocument {
  const ttlSec = declared?.suggestedTtlSec ?? chooseTtlSec(declared?.longestLifeSec)
  const timeout = declared?.signIn ? { timeoutSec: suggestedTimeoutSec } : {}
  return createDocument({
    baseUrl: exampleGateway,
    command: locateInstalled(helper, 'posix'),
    args,
    ttlSec,
    ...timeout,
  })
}

function renderInitCommand(client: Exclude<ClientName, 'desktop'>, { helper, args }: HelperChoice): string {
  const wrapper = clients[client].start === 'path' ? ['--wrapper', locateInstalled(`${client}-${helper}`, 'posix')] : []
  const argFlags = args.map((arg) => `--arg=${arg}`)
  const words = ['--client', client, '--helper', helper, '--base-url', exampleGateway, ...wrapper, ...argFlags]
  return `${programName} config init ${quoteForShell(words)}`
}

/** Renders a choice in words, with its document in five lines. */
export function renderChoice(choice: Choice | NoChoice): string {
  if ('reason' in choice) return `Nothing fits: ${choice.reason}.\nInstead: ${choice.instead}.\n`
  const { helper, document, command, notes } = choice
  const configuration = document ? renderFiveLines(document) : `${command}\n`
  const rest = notes.map((note) => `- ${note}\n`).join('')
  return `${helper}\n\n${configuration}${rest && `\n${rest}`}`
}

/** Renders a document that runs a helper, in five lines. */
function renderFiveLines({ inference }: ConfigDocument): string {
  const { provider, baseUrl, credential } = inference ?? {}
  return [
    '{"inference": {',
    `  "provider": ${JSON.stringify(provider)},`,
    `  "baseUrl": ${JSON.stringify(baseUrl)},`,
    `  "credential": ${JSON.stringify(credential)}`,
    '}}\n',
  ].join('\n')
}
