// Folder: the explanation of one run, its token and the gateway's answer.

import { type GatewayInference, toAuthScheme } from '../../config/document.ts'
import { parseDenial } from '../../contract/aws/denial.ts'
import { findKeyGateway } from '../../contract/aws/keys.ts'
import type { AuthScheme } from '../../contract/headers.ts'
import { clientDefaults } from '../../contract/limits.ts'
import { clockHint, findErrorCode } from '../../runtime/failure.ts'
import { isCertificateCode } from '../../runtime/network/network-failure.ts'
import { hideHeaderValues, redact } from '../../runtime/text/redact.ts'
import { identityProofTitle } from '../../runtime/tokens/proof-facts.ts'
import {
  type HeaderToken,
  listHeaderTokens,
  parseTokenFacts,
  type TokenFacts,
} from '../../runtime/tokens/token-facts.ts'
import { renderDuration } from '../../runtime/values/duration.ts'
import type { AnswerFacts, Part, PartExplanation, PartOutcome } from '../examination.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import { sendTurn, toMessagesUrl } from '../session/send-turn.ts'
import { type GatewayAnswer, type NoAnswer, noAnswerMessages, startRealTimer, type Turn } from '../session/turn.ts'
import { describeClock, explainAnswer } from './explain-answer.ts'
import { findLocation, findRequestId } from './explain-status.ts'
import { parseRefusal } from './parse-refusal.ts'
import type { VerifierRefusal } from './verifier/explain-verifier-refusal.ts'
import { parseVerifierRefusal } from './verifier/parse-verifier-refusal.ts'
import { parseStatedToken, type StatedToken } from './verifier/stated-token.ts'

/**
 * Describes a token and sends one real turn with it. Secrets in the gateway's answer are replaced.
 * @param ttlSec How long the client would keep the token; 0 for a key that is never renewed.
 */
export async function examineCredential(
  inference: GatewayInference,
  credential: HeldCredential,
  ttlSec: number | undefined,
  fetch: Turn['fetch'],
): Promise<Part[]> {
  const token = credential.token.reveal()
  const facts = parseTokenFacts(token, {})
  const headerNames = Object.keys(credential.headers)
  const secrets = [token, ...Object.values(credential.headers), ...Object.values(inference.customHeaders ?? {})]
  return [
    {
      ...describeToken({ facts, headerNames, ttlSec, now: Date.now() }, listHeaderTokens(credential.headers)),
      algorithm: facts.algorithm,
    },
    ...(await examineGateway(inference, credential, {
      facts,
      fetch,
      hide: (text) => redact(text, secrets),
      stated: parseStatedToken(token),
    })),
  ]
}

interface ExaminedCredential {
  readonly facts: TokenFacts
  readonly stated: StatedToken
  readonly fetch: Turn['fetch']
  readonly hide: (text: string) => string
}

/** A token that was obtained, and how the client will send and keep it. */
interface ExaminedToken {
  readonly facts: TokenFacts
  readonly headerNames: readonly string[]
  /** How long the client keeps the token; the client's default if absent, 0 for a key that is never renewed. */
  readonly ttlSec?: number | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** Describes a token, and the tokens in the other headers, without showing them; pure. */
function describeToken(examined: ExaminedToken, others: readonly HeaderToken[]): Part {
  const first = describeFirst(examined)
  const parts = others.map(({ name, facts }) => describeOther(name, { ...examined, facts }))
  const worst = parts.find(({ outcome }) => outcome === 'bad') ?? parts.find(({ outcome }) => outcome === 'note')
  const lines = [...first.lines, ...parts.flatMap((part) => part.lines)]
  if (!worst || first.outcome === 'bad' || (first.outcome === 'note' && worst.outcome === 'note'))
    return { ...first, lines }
  return { ...first, ...worst, lines }
}

/** Describes a second token, which the client keeps as long as the first. */
function describeOther(name: string, examined: ExaminedToken): Part {
  const { lines, ...rest } = describeFirst({ ...examined, headerNames: [] })
  const [kind = '', , ...life] = lines
  return { ...rest, lines: [`in ${name}: ${[kind, ...life].join('; ')}`] }
}

function describeFirst({ facts, headerNames, ttlSec = clientDefaults.ttlSec, now }: ExaminedToken): Part {
  const names = hideHeaderValues(headerNames)
  const lines = [
    `${describeKind(facts)}, ${facts.bytes} bytes`,
    names.length === 0 ? 'no headers beside it' : `headers beside it: ${names.join(', ')}`,
  ]
  if (facts.longTermKey !== undefined)
    return {
      part: 'token',
      outcome: 'note',
      lines: [...lines, 'it works for whoever holds it, until somebody deletes it'],
      hint: 'use short-term keys: they are signed with the credentials of a person or role, and expire with them',
    }
  if (!facts.end) return { part: 'token', outcome: 'good', lines: [...lines, 'it does not say when it expires'] }
  const leftSec = Math.floor((facts.end.at - now) / 1000)
  const end = `${new Date(facts.end.at).toISOString()} (${facts.end.source})`
  if (leftSec <= 0)
    return {
      part: 'token',
      outcome: 'bad',
      lines: [...lines, `it expired at ${end}`],
      cause: `the token expired at ${end}`,
      hint: 'check whether the helper caches expired tokens, and check the clock of this machine',
    }
  const life = `it is valid for another ${renderDuration(leftSec)}, until ${end}`
  if (leftSec + slackSec >= ttlSec) return { part: 'token', outcome: 'good', lines: [...lines, life] }
  return {
    part: 'token',
    outcome: 'note',
    lines: [...lines, life, `the client keeps it for ${renderDuration(ttlSec)}`],
    hint: `set ttlSec to ${Math.max(1, leftSec)} or less, or have the helper request a longer lifetime`,
  }
}

async function examineGateway(
  inference: GatewayInference,
  credential: HeldCredential,
  examined: ExaminedCredential,
): Promise<Part[]> {
  const authScheme = toAuthScheme(inference)
  const turn = { inference, credential, authScheme, text: 'Hello?', startTimer: startRealTimer }
  const answer = await sendTurn({ ...turn, fetch: examined.fetch })
  const names = hideHeaderValues(Object.keys(inference.customHeaders ?? {}))
  const sent = [
    `one turn was sent, with the token as ${authScheme}`,
    ...(names.length > 0 ? [`customHeaders: ${names.join(', ')}`] : []),
  ]
  if ('reason' in answer) {
    const { outcome, cause, hint } = explainNoAnswer(answer, inference.baseUrl)
    const code = answer.code ?? findErrorCode(answer.error?.cause)
    return [describePart({ outcome, lines: [...sent, cause], cause, hint }, { code })]
  }
  const headerNames = Object.keys({ ...inference.customHeaders, ...credential.headers })
  return describeAnswer(answer, sent, { ...examined, baseUrl: inference.baseUrl, authScheme, headerNames })
}

interface SentTurn extends ExaminedCredential {
  readonly baseUrl: string
  readonly authScheme: AuthScheme
  readonly headerNames: readonly string[]
}

/** Describes a wrong clock; `bad` if it explains why no turn succeeded. */
export function describeWrongClock(words: string, outcome: 'bad' | 'note'): Part {
  return {
    part: 'clock',
    outcome,
    lines: [words],
    hint: clockHint,
    ...(outcome === 'bad' && { cause: words, isClock: true }),
  }
}

function describePart({ outcome, lines, cause, hint }: DescribedPart, answer: AnswerFacts): Part {
  return { part: 'gateway', outcome, lines, cause: outcome === 'bad' ? cause : undefined, hint, answer }
}

function describeAnswer(answer: GatewayAnswer, sent: readonly string[], { baseUrl, hide, ...turn }: SentTurn): Part[] {
  const gateway = findKeyGateway(new URL(baseUrl).hostname)
  const refusal = hideDetail(parseVerifierRefusal(answer), hide)
  const now = Date.now()
  const found = findLocation(answer.headers, toMessagesUrl(baseUrl))
  const location = found === undefined ? undefined : hide(found)
  const { outcome, cause, hint } = explainAnswer({ ...turn, answer, refusal, gateway, now, location })
  const told = {
    ...toFacts(answer, outcome, hide),
    location,
    ...refusal,
  }
  const lines = [...sent, ...describeFacts(told), cause]
  const clock = describeClock(answer, now, "the gateway's")
  return [
    describePart({ outcome, lines, cause: addWords(cause, told), hint }, told),
    ...(clock === undefined || cause.includes(clock) ? [] : [describeWrongClock(clock, 'note')]),
  ]
}

/** Hides secrets in a gateway's message, which may repeat the request. */
function hideDetail(
  refusal: VerifierRefusal | undefined,
  hide: ExaminedCredential['hide'],
): VerifierRefusal | undefined {
  return refusal?.detail === undefined ? refusal : { ...refusal, detail: cut(hide(refusal.detail)) }
}

type DescribedPart = Pick<Part, 'outcome' | 'lines' | 'hint'> & { readonly cause: string }

/** Returns the status and, unless the answer is good, the gateway's message and the request id. */
function toFacts(
  { status, headers, text }: GatewayAnswer,
  outcome: PartOutcome,
  hide: (text: string) => string,
): AnswerFacts {
  const requestId = findRequestId(headers)
  const { code, message } = outcome === 'good' ? {} : parseRefusal(text)
  const denied = outcome === 'good' ? undefined : parseDenial(text)?.action
  return {
    status,
    code: code && cut(hide(code)),
    denied,
    message: message && cut(hide(message)),
    requestId: requestId && cut(hide(requestId)),
  }
}

function describeFacts({ status, code, message, requestId, location }: AnswerFacts): string[] {
  const words = [code, message].filter((word) => word !== undefined).join(': ')
  return [
    `HTTP ${status}`,
    ...(location === undefined ? [] : [`it redirects to: ${location}`]),
    ...(words === '' ? [] : [`it says: ${words}`]),
    ...(requestId === undefined ? [] : [`request id: ${requestId}`]),
  ]
}

/** The most characters of a gateway's message that are repeated. */
const longestMessage = 300

/** Adds the gateway's own message to a cause, unless a verifier's reason already contains it. */
function addWords(cause: string, { message, reason }: AnswerFacts): string {
  return message === undefined || reason !== undefined ? cause : `${cause}; it says: ${message}`
}

function cut(text: string): string {
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text
}

/** Explains why a gateway's address gave no answer; pure. */
export function explainNoAnswer({ reason, code, error }: NoAnswer, baseUrl: string): PartExplanation {
  if (!error) {
    const cause = `${noAnswerMessages[reason]}${code ? ` (${code})` : ''}`
    return { outcome: 'bad', cause, hint: chooseUnansweredHint(reason, code ?? '') }
  }
  const name = findErrorCode(error.cause) ?? ''
  // The unknown name may be the proxy's, which has a hint of its own.
  const isOfGateway = error.message.includes(new URL(baseUrl).hostname)
  const hint = isUnknownName(name) && isOfGateway ? chooseUnansweredHint(reason, name) : error.hint
  // A port for TLS resets a connection without TLS.
  const isPlain = name === 'ECONNRESET' && /^http:/i.test(baseUrl)
  return {
    outcome: 'bad',
    cause: error.message,
    hint: isPlain ? `${hint}; if that port speaks https, write https:// into baseUrl` : hint,
  }
}

function chooseUnansweredHint(reason: NoAnswer['reason'], code: string): string {
  if (reason === 'unsendable') return 'have the helper print a token of visible ASCII characters'
  if (reason !== 'unreachable') return "ask the gateway's operators"
  if (isCertificateCode(code)) return 'give this program the certificate authority: NODE_EXTRA_CA_CERTS'
  if (isUnknownName(code)) return 'check the name in baseUrl, the name service and the VPN'
  return 'check baseUrl, the network, the VPN and the proxy'
}

function isUnknownName(code: string): boolean {
  return code === 'ENOTFOUND' || code === 'EAI_AGAIN'
}

/** An allowance for the duration of the run and the request. */
const slackSec = 60

function describeKind({ awsKey, longTermKey, end }: TokenFacts): string {
  if (awsKey) return `a short-term ${awsKey.service.key}`
  if (longTermKey !== undefined) return `a long-term ${longTermKey}`
  if (end?.source === 'AWS X-Amz-Date') return identityProofTitle
  return end?.source === 'JWT exp' ? 'a JWT' : 'an opaque token'
}
