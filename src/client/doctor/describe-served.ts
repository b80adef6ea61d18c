import { compareDocuments } from '../../config/compare-documents.ts'
import type { ConfigDocument } from '../../config/document.ts'
import type { Finding } from '../../config/finding.ts'
import { servedDocumentRules } from '../../contract/served-document.ts'
import { renderCounted } from '../../runtime/text/counted.ts'
import { hideHeaderValues } from '../../runtime/text/redact.ts'
import { parseTokenFacts } from '../../runtime/tokens/token-facts.ts'
import { renderDuration } from '../../runtime/values/duration.ts'
import { nameProvider } from '../credentials/sign-in-settings.ts'
import { type Part, skipParts } from '../examination.ts'
import type { DocumentAnswer, NoDocument } from '../session/ask-server.ts'
import type { Asked } from '../session/served-source.ts'
import type { ServerSignIn } from '../session/trust-anchor.ts'
import { explainVerifierRefusal } from './verifier/explain-verifier-refusal.ts'
import { parseChallenge, parseVerifierRefusal } from './verifier/parse-verifier-refusal.ts'
import { parseStatedToken } from './verifier/stated-token.ts'

/** Describes the device's settings about its configuration server; empty if no document of a device was given. */
export function describeDevice({ signIn, findings, isNamed }: ExaminedDevice): Part[] {
  if (!isNamed) return []
  const error = findings.find(({ severity }) => severity === 'error')
  const outcome = error ? 'bad' : findings.length > 0 ? 'note' : 'good'
  const lines = findings.map(({ path, message, code }) => `${path}: ${message} (${code})`)
  const hint = (error ?? findings[0])?.hint
  return [
    {
      part: 'device',
      outcome,
      lines: [describeSignIn(signIn), ...lines],
      cause: error && `${error.path}: ${error.message}`,
      hint,
    },
  ]
}

/** The device's settings for its configuration server. */
interface ExaminedDevice {
  readonly signIn: ServerSignIn
  /** The findings about these settings. */
  readonly findings: readonly Finding[]
  /** Whether a document of the device was given. */
  readonly isNamed: boolean
}

function describeSignIn(signIn: ServerSignIn): string {
  switch (signIn.kind) {
    case 'oidc':
      return `a person signs in at ${nameProvider(signIn.settings)}, and the access token is sent`
    case 'headers': {
      const names = hideHeaderValues(Object.keys(signIn.headers))
      const program = signIn.helper === undefined ? [] : [`what ${signIn.helper.command} prints`]
      return `sent as the sign-in: ${[...names, ...program].join(', ')}`
    }
    case 'none':
      return 'it configures no sign-in; a client then signs people in at the server itself, by a device code, which is not tried here'
  }
}

/** Describes one request to a configuration server: whether the server was reached, accepted the sign-in, and had a document. */
export function describeAsked(asked: Asked, url: string): Part[] {
  const { answer } = asked
  if (answer.outcome === 'failed' && answer.reason === 'sign-in') {
    const reached: Part = { part: 'server', outcome: 'not examined', lines: ['skipped: there is no sign-in to send'] }
    return [reached, toBad('server-sign-in', [], answer), ...skipParts('document')]
  }
  if (answer.outcome === 'failed')
    return [toBad('server', [`GET ${url}`], answer), ...skipParts('server-sign-in', 'document')]
  const reached: Part = { part: 'server', outcome: 'good', lines: [`GET ${url}`, `HTTP ${answer.status}`] }
  if (answer.outcome === 'refused') return [reached, explainRefusal(asked, answer), ...skipParts('document')]
  return [reached, { part: 'server-sign-in', outcome: 'good', lines: describeSent(asked) }]
}

function toBad(part: Part['part'], lines: readonly string[], { message, hint }: NoDocument): Part {
  return { part, outcome: 'bad', lines: [...lines, message], cause: message, hint }
}

const obtainedWords = {
  person: 'a person has signed in',
  renewal: 'the token was renewed without the person',
  helper: 'a program has printed what is sent',
  kept: 'what is configured was sent',
} as const

function describeSent({ obtained, headerNames }: Asked): string[] {
  if (headerNames.length === 0) return ['the server gives a document without a sign-in']
  return [...(obtained ? [obtainedWords[obtained]] : []), `sent: ${hideHeaderValues(headerNames).join(', ')}`]
}

/** Explains why a server refused or had no document: by our own reasons, otherwise by the challenge of RFC 6750. */
function explainRefusal(asked: Asked, answer: NoDocument): Part {
  const { headers = new Headers(), text = '', status = 0 } = answer
  const lines = [...describeSent(asked).filter(() => asked.headerNames.length > 0), `HTTP ${status}`]
  if (asked.headerNames.length === 0) return toBad('server-sign-in', lines, { ...answer, ...noSignIn })
  const refusal = parseVerifierRefusal({ status, headers, text, isMessage: false })
  if (!refusal) return toBad('server-sign-in', [...lines, ...describeChallenge(headers)], answer)
  if (refusal.reason === 'no-token') return toBad('server-sign-in', lines, { ...answer, ...notFound })
  const token = asked.bearer?.reveal() ?? ''
  const { end } = parseTokenFacts(token, {})
  const explained = explainVerifierRefusal(refusal, {
    stated: parseStatedToken(token),
    authScheme: 'bearer',
    headerNames: asked.headerNames,
    aheadSec: undefined,
    leftSec: end && Math.floor((end.at - Date.now()) / 1000),
  })
  return toBad('server-sign-in', [...lines, `it says: ${refusal.reason}`], {
    ...answer,
    message: toServerWords(explained.cause),
    hint: toServerWords(explained.hint ?? answer.hint),
  })
}

const noSignIn = {
  message: 'the server wants a sign-in, and none was sent',
  hint: 'name the document of the device, with bootstrapOidc, bootstrapHeaders or bootstrapHeadersHelper, or pass --bootstrap-helper',
}

const notFound = {
  message: 'the server found no token among the headers that were sent',
  hint: 'have its operators name the header with --token-header, or send the token as a bearer',
}

/** Describes the refusal of a server that is not ours, by its challenge. */
function describeChallenge(headers: Headers): string[] {
  const { error, description } = parseChallenge(headers) ?? {}
  const words = [error, description].filter((word) => word !== undefined).join(': ')
  return words === '' ? [] : [`it says: ${words}`]
}

/** Adapts a verifier's reason for the configuration server, because the texts are written for gateways. */
function toServerWords(text: string): string {
  return text.replaceAll(/\b(the|this) gateway\b/g, '$1 configuration server')
}

/** Describes the effect of a served document on a device, besides its findings: its end, entity tag, replaced values and restarts. */
export function describeServedDocument(
  { document, etag, enforcementHours }: DocumentAnswer,
  again: Asked['answer'],
  { local, now }: { readonly local: ConfigDocument | undefined; readonly now: number },
): Pick<Part, 'outcome' | 'lines' | 'hint'> {
  const stability = describeAgain(again, etag)
  const lines = [describeEnd(document, now), stability.line, ...(local ? describeReplaced(local, document) : [])]
  const restart = `clients that hold another answer ask for a restart, and block ${enforcementHours === 0 ? 'at once' : `after ${renderDuration(Math.round(enforcementHours * 3600))}`}`
  return {
    outcome: stability.hint === undefined ? 'good' : 'note',
    lines: [...lines, restart],
    hint: stability.hint,
  }
}

/** Describes the answer to the second request, which carried the entity tag: one that differs without a reason costs every person a restart. */
function describeAgain(
  again: Asked['answer'],
  etag: string | undefined,
): { readonly line: string; readonly hint?: string } {
  if (again.outcome === 'unchanged') return { line: 'asked again with its ETag: nothing has changed (HTTP 304)' }
  if (again.outcome !== 'document') return { line: `asked again: ${again.message}`, hint: again.hint }
  if (etag === undefined)
    return {
      line: 'it has no ETag, so that it is sent whole every time',
      hint: 'have the server send an ETag and answer 304',
    }
  if (again.etag === etag)
    return { line: 'asked again with its ETag: it was sent whole', hint: 'have the server answer 304 to If-None-Match' }
  return {
    line: `asked again at once, it has another ETag: every client would be asked to restart every ${renderDuration(servedDocumentRules.checkEverySec)}`,
    hint: 'compute the ETag from the values alone, without expiresAt and the order of keys',
  }
}

function describeEnd({ expiresAt }: ConfigDocument, now: number): string {
  const asks = `clients ask every ${renderDuration(servedDocumentRules.checkEverySec)}`
  if (expiresAt === undefined) return `it does not state its end; ${asks}`
  if (expiresAt <= now) return `its end, ${new Date(expiresAt).toISOString()}, has passed; ${asks}`
  return `it is valid for another ${renderDuration(Math.floor((expiresAt - now) / 1000))}; ${asks} at the latest`
}

/** A key that the served document omits is unset, and not inherited from the device. */
function describeReplaced(local: ConfigDocument, served: ConfigDocument): string[] {
  const changes = compareDocuments(local, served).filter(({ field }) => field.path !== 'expiresAt')
  if (changes.length === 0) return ['it means the same as the document of the device']
  const replaced = changes.filter(({ before, after }) => before !== undefined && after !== undefined)
  const unset = changes.filter(({ after }) => after === undefined)
  const joinPaths = (rows: typeof changes) => rows.map(({ field }) => field.path).join(', ')
  return [
    ...(replaced.length > 0
      ? [`it replaces ${renderCounted(replaced.length, 'value')} of the device: ${joinPaths(replaced)}`]
      : []),
    ...(unset.length > 0 ? [`it leaves out, and so unsets: ${joinPaths(unset)}`] : []),
  ]
}
