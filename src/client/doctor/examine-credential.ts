import { parseDenial } from '../../contract/aws-denial.ts'
import { findKeyGateway } from '../../contract/aws-keys.ts'
import type { HelperError } from '../../runtime/failure.ts'
import { redact } from '../../runtime/hiding/redact.ts'
import { listHeaderTokens } from '../../runtime/tokens/header-tokens.ts'
import { parseTokenFacts, type TokenFacts } from '../../runtime/tokens/token-facts.ts'
import type { AnswerFacts, Outcome, Part } from '../examination.ts'
import type { HeldCredential } from '../launch/run-credential-helper.ts'
import { type GatewayInference, resolveAuthScheme } from '../turn/gateway-inference.ts'
import { sendTurn } from '../turn/send-turn.ts'
import { startRealTimer } from '../turn/start-real-timer.ts'
import type { GatewayAnswer, Turn } from '../turn/turn.ts'
import { explainAnswer, findRequestId } from './answer/explain-answer.ts'
import { explainNoAnswer } from './answer/explain-no-answer.ts'
import { parseRefusal } from './answer/parse-refusal.ts'
import { parseVerifierRefusal } from './answer/verifier/parse-verifier-refusal.ts'
import { parseStatedToken, type StatedToken } from './answer/verifier/stated-token.ts'
import type { VerifierRefusal } from './answer/verifier/verifier-refusal.ts'
import { describeToken } from './describe-token.ts'

/**
 * Describes a token and sends one real turn with it. `ttlSec` is how long the client would keep it, 0 for a key that is
 * never renewed. Secrets that were sent are replaced in the gateway's answer.
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
      ...describeToken({ facts, headerNames, others: listHeaderTokens(credential.headers), ttlSec, now: Date.now() }),
      ...(facts.algorithm !== undefined && { algorithm: facts.algorithm }),
    },
    await examineGateway(inference, credential, {
      ...{ facts, fetch, hide: (text) => redact(text, secrets) },
      stated: parseStatedToken(token),
    }),
  ]
}

interface Examined {
  readonly facts: TokenFacts
  readonly stated: StatedToken
  readonly fetch: Turn['fetch']
  readonly hide: (text: string) => string
}

async function examineGateway(
  inference: GatewayInference,
  credential: HeldCredential,
  { facts, stated, fetch, hide }: Examined,
): Promise<Part> {
  const authScheme = resolveAuthScheme(inference)
  const turn = { inference, credential, authScheme, text: 'Hello?', startTimer: startRealTimer }
  const answer = await sendTurn({ ...turn, ...(fetch && { fetch }) })
  const names = Object.keys(inference.customHeaders ?? {}).map((name) => `${name}: ***`)
  const sent = [
    `one turn was sent, with the token as ${authScheme}`,
    ...(names.length > 0 ? [`customHeaders: ${names.join(', ')}`] : []),
  ]
  if ('reason' in answer) {
    const { outcome, cause, hint } = explainNoAnswer(answer)
    const code = answer.code ?? findCode(answer.error)
    return describePart({ outcome, lines: [...sent, cause], hint }, code === undefined ? {} : { code })
  }
  const gateway = findKeyGateway(new URL(inference.baseUrl).hostname)
  const headerNames = Object.keys({ ...inference.customHeaders, ...credential.headers })
  const refusal = hideDetail(parseVerifierRefusal(answer), hide)
  const examined = { answer, facts, stated, refusal, authScheme, gateway, headerNames, now: Date.now() }
  const { outcome, cause, hint } = explainAnswer(examined)
  const told = { ...toFacts(answer, outcome, hide), ...refusal }
  return describePart({ outcome, lines: [...sent, ...describeFacts(told), cause], hint }, told)
}

/** What a gateway says may repeat what was sent to it. */
function hideDetail(refusal: VerifierRefusal | undefined, hide: Examined['hide']): VerifierRefusal | undefined {
  return refusal?.detail === undefined ? refusal : { ...refusal, detail: cut(hide(refusal.detail)) }
}

type Described = Pick<Part, 'outcome' | 'lines'> & { readonly hint?: string | undefined }

function describePart({ hint, ...rest }: Described, answer: AnswerFacts): Part {
  return { part: 'gateway', ...rest, ...(hint && { hint }), answer }
}

/** The status, and of all but a good answer the gateway's own words and the request id. */
function toFacts(
  { status, headers, text }: GatewayAnswer,
  outcome: Outcome,
  hide: (text: string) => string,
): AnswerFacts {
  const requestId = findRequestId(headers)
  const { code, message } = outcome === 'good' ? {} : parseRefusal(text)
  const denied = outcome === 'good' ? undefined : parseDenial(text)?.action
  return {
    status,
    ...(code !== undefined && { code: cut(hide(code)) }),
    ...(denied !== undefined && { denied }),
    ...(message !== undefined && { message: cut(hide(message)) }),
    ...(requestId !== undefined && { requestId: cut(hide(requestId)) }),
  }
}

function describeFacts({ status, code, message, requestId }: AnswerFacts): string[] {
  const words = [code, message].filter((word) => word !== undefined).join(': ')
  return [
    `HTTP ${status}`,
    ...(words === '' ? [] : [`it says: ${words}`]),
    ...(requestId === undefined ? [] : [`request id: ${requestId}`]),
  ]
}

/** How much of a gateway's own words is repeated, in characters. */
const longestWords = 300

function cut(text: string): string {
  return text.length > longestWords ? `${text.slice(0, longestWords)}…` : text
}

function findCode(error: HelperError | undefined): string | undefined {
  return (error?.cause as NodeJS.ErrnoException | undefined)?.code
}
