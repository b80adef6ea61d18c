import type { ConfigDocument } from '../../config/document.ts'
import { chooseTtlSec, createDocument } from '../../config/render/create-document.ts'
import type { ClientName } from '../../contract/clients/client.ts'
import { clients } from '../../contract/clients/clients.ts'
import { quoteForShell } from '../../contract/clients/quote-words.ts'
import { suggestedTimeoutSec } from '../../contract/limits.ts'
import type { AnyHelper } from '../../helper/define-helper.ts'
import { choices, type GatewayKind, type HelperChoice, type NoChoice, type PeopleKind } from './choices.ts'

/** The three answers by which a helper is chosen. */
export interface Situation {
  readonly gateway: GatewayKind
  readonly people: PeopleKind
  readonly client: ClientName
}

/** The helper that fits, and what is configured for it. */
export interface Choice extends HelperChoice {
  readonly notes: readonly string[]
  /** For the desktop client: its document. */
  readonly document?: ConfigDocument
  /** For any other client: the command that writes its configuration. */
  readonly command?: string
}

/** Stands for the address of the gateway, which only the reader knows. */
const baseUrl = 'https://gateway.example.com'

/** What fits a situation, or why nothing does; pure. @param helpers The suite's, by name. */
export function chooseHelper(situation: Situation, helpers: ReadonlyMap<string, AnyHelper>): Choice | NoChoice {
  const choice = findClientProblem(situation) ?? choices[situation.gateway][situation.people]
  if ('reason' in choice) return choice
  const declared = helpers.get(choice.helper)
  const notes = [...(choice.note ? [choice.note] : []), ...listClientNotes(situation, choice, declared)]
  if (situation.client === 'desktop') return { ...choice, notes, document: toDocument(choice, declared) }
  return { ...choice, notes, command: renderInitCommand(situation.client, choice) }
}

/** What a client cannot do, whichever helper it runs. */
function findClientProblem({ client, gateway }: Situation): NoChoice | undefined {
  const { title, sentAs, headers } = clients[client]
  if (sentAs.includes('signature'))
    return {
      reason: `${title} sign their requests with the keys of a profile, and send no token`,
      instead: 'name the AWS profile in the tool, which needs no helper for that',
    }
  if (gateway !== 'two' || headers === 'sent') return undefined
  return {
    reason: `${title} sends no headers of a helper, and the second credential goes into one`,
    instead:
      'have the gateway take one credential from this client, or use a client that sends headers: desktop, bazel',
  }
}

/** A client that does not say why it runs a helper is taken for one without a person. */
function listClientNotes({ client }: Situation, { helper }: HelperChoice, declared: AnyHelper | undefined): string[] {
  if (clients[client].context === 'told' || !declared?.signIn) return []
  return [`sign in by hand, because this client lets nobody be asked: ${helper} sign-in`]
}

function toDocument({ helper, args }: HelperChoice, declared: AnyHelper | undefined): ConfigDocument {
  const ttlSec = declared?.suggestedTtlSec ?? chooseTtlSec(declared?.longestLifeSec)
  const timeout = declared?.signIn ? { timeoutSec: suggestedTimeoutSec } : {}
  return createDocument({ baseUrl, command: `/opt/gatepass/${helper}`, args, ttlSec, ...timeout })
}

function renderInitCommand(client: Exclude<ClientName, 'desktop'>, { helper, args }: HelperChoice): string {
  const wrapper = clients[client].start === 'path' ? ['--wrapper', `/opt/gatepass/${client}-${helper}`] : []
  const own = args.map((arg) => `--arg=${arg}`)
  const words = ['--client', client, '--helper', helper, '--base-url', baseUrl, ...wrapper, ...own]
  return `gatepass config init ${quoteForShell(words)}`
}
