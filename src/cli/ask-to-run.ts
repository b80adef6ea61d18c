import { nameProvider } from '../client/credentials/sign-in-settings.ts'
import type { HelperScriptCredential } from '../config/document.ts'
import { textFormats } from '../config/field.ts'
import { removeUserHint } from '../config/parse-value.ts'
import { HelperError, toOneLine } from '../runtime/failure.ts'
import { isSecureAddress, validateWebAddress } from '../runtime/network/addresses.ts'
import { hideArgumentSecrets } from '../runtime/text/credential-text.ts'
import { redact } from '../runtime/text/redact.ts'
import type { OidcSettings } from '../sources/oauth/oidc/oidc-settings.ts'
import type { Terminal } from './terminal.ts'

/**
 * Shows what would run and where its token would go, and continues only if the person agrees or has passed `--yes`.
 * @throws {HelperError} `usage` if no person can answer, `refused` if the person does not agree.
 */
export async function askToRun(
  terminal: Pick<Terminal, 'tell' | 'startConversation'>,
  planned: PlannedRun,
  yes: true | undefined,
): Promise<void> {
  terminal.tell(renderPlannedRun(planned))
  if (yes) return
  using conversation = terminal.startConversation()
  if (!conversation)
    throw new HelperError('usage', 'standard input is not a terminal', 'read the lines above, then pass --yes')
  const answer = await conversation.ask('Go on? [y/N] ')
  if (!isYes(answer))
    throw new HelperError(
      'refused',
      'you did not agree, so nothing was run and nothing was sent',
      'answer y, or pass --yes',
    )
}

/** Returns whether a person agrees. A missing answer counts as a refusal. */
export function isYes(answer: string | undefined): boolean {
  return /^y(es)?$/i.test(answer ?? '')
}

/** The effects on this machine of a document that another person may have written. */
interface PlannedRun {
  readonly helpers?: readonly HelperScriptCredential[]
  /** Further receivers of its requests, in words. */
  readonly asked?: readonly string[]
  /** The providers with which a person would sign in. */
  readonly providers?: readonly OidcSettings[]
  /** The receiver of the credential, in words or as a URL. */
  readonly destination: string
}

/** Validates that a token may be sent to this URL. */
export function validateDestination(text: string): { readonly message: string; readonly hint: string } | undefined {
  const url = URL.parse(text)
  const problem = validateWebAddress(url)
  if (!url || problem === 'form') return { message: 'is not an http or https URL', hint: textFormats.uri.hint }
  if (problem === 'user') return { message: 'carries a user name or password', hint: removeUserHint }
  if (!isSecureAddress(url))
    return { message: `would carry the token unencrypted to ${url.host}`, hint: 'use https://' }
  return undefined
}

function renderPlannedRun({ helpers = [], asked = [], providers = [], destination }: PlannedRun): string {
  const runs = helpers.map((helper) => `This runs:      ${renderCommand(helper)}\n${renderEnvironment(helper)}`)
  const signIns = providers.map((provider) => `This signs in:  ${renderProvider(provider)}\n`)
  const questions = asked.map((words) => `and asks:       ${words}\n`)
  return `${[...runs, ...questions, ...signIns].join('')}and sends to:   ${toOneLine(destination)}\n`.replace(
    /^and sends to: {3}/,
    'This sends to:  ',
  )
}

/** Renders the command line in a document, safe to show: on one line, and without anything that looks like a credential. */
export function renderCommand({ command, commandWindows, args = [] }: HelperScriptCredential): string {
  const words = [command ?? commandWindows ?? '(no command)', ...hideArgumentSecrets(args)]
  return toOneLine(redact(words.map(renderWord).join(' '), []))
}

function renderEnvironment({ awsEnv }: HelperScriptCredential): string {
  const set = Object.entries({ profile: awsEnv?.profile, awsDir: awsEnv?.awsDir }).filter(
    ([, value]) => value !== undefined,
  )
  if (set.length === 0) return ''
  return `with awsEnv:    ${set.map(([name, value]) => `${name} ${toOneLine(renderWord(value ?? ''))}`).join(', ')}\n`
}

/**
 * Renders the sign-in page and the registration that the person is asked to allow. Without an issuer, the receiver of the code is named
 * too, because the two addresses may belong to two providers.
 */
function renderProvider(provider: OidcSettings): string {
  const { clientId, issuer, tokenUrl = '' } = provider
  const question = `a person, in a browser, at ${renderUrl(nameProvider(provider))} for the client ${toOneLine(renderWord(clientId))}`
  return issuer === undefined ? `${question}; the code goes to ${renderUrl(tokenUrl)}` : question
}

/** Renders a URL that is safe to show: its query is omitted, because it may contain a key. */
export function renderUrl(text: string): string {
  const url = URL.parse(text)
  return url ? `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}` : toOneLine(text)
}

/** Renders a word for a reader, in JSON's quotes if it contains special characters. It is not quoted for a shell. */
function renderWord(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : JSON.stringify(word)
}
