import type { HeldCredential } from '../launch/run-credential-helper.ts'
import { redact } from '../redact.ts'
import { parseTokenFacts, type TokenFacts } from '../token/token-facts.ts'
import { type GatewayInference, resolveAuthScheme } from '../turn/gateway-inference.ts'
import { sendTurn } from '../turn/send-turn.ts'
import { startRealTimer } from '../turn/start-real-timer.ts'
import type { Turn } from '../turn/turn.ts'
import { describeToken } from './describe-token.ts'
import type { Part } from './examination.ts'
import { explainAnswer } from './explain-answer.ts'
import { explainNoAnswer } from './explain-no-answer.ts'

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
    describeToken({ facts, headerNames, ttlSec, now: Date.now() }),
    await examineGateway(inference, credential, { facts, fetch, hide: (text) => redact(text, secrets) }),
  ]
}

interface Examined {
  readonly facts: TokenFacts
  readonly fetch: Turn['fetch']
  readonly hide: (text: string) => string
}

async function examineGateway(
  inference: GatewayInference,
  credential: HeldCredential,
  { facts, fetch, hide }: Examined,
): Promise<Part> {
  const authScheme = resolveAuthScheme(inference)
  const turn = { inference, credential, authScheme, text: 'Hello?', startTimer: startRealTimer }
  const answer = await sendTurn({ ...turn, ...(fetch && { fetch }) })
  const names = Object.keys(inference.customHeaders ?? {}).map((name) => `${name}: ***`)
  const sent = [
    `one turn was sent, with the token as ${authScheme}`,
    ...(names.length > 0 ? [`customHeaders: ${names.join(', ')}`] : []),
  ]
  const { outcome, cause, hint } =
    'reason' in answer ? explainNoAnswer(answer) : explainAnswer({ answer, facts, authScheme, now: Date.now() })
  const said = 'reason' in answer ? [] : describeAnswer(answer, hide)
  return { part: 'gateway', outcome, lines: [...sent, ...said, cause], ...(hint && { hint }) }
}

/** The status, and of a refusal the message and the request id. */
function describeAnswer(
  { status, headers, text }: { status: number; headers: Headers; text: string },
  hide: (text: string) => string,
): string[] {
  const id = headers.get('request-id') ?? headers.get('x-request-id')
  const message = status === 200 ? undefined : errorMessage(text)
  return [
    `HTTP ${status}`,
    ...(message === undefined ? [] : [`it says: ${hide(message)}`]),
    ...(id === null ? [] : [`request id: ${hide(id)}`]),
  ]
}

/** The message in the API's own error envelope; `undefined` for any other body. */
function errorMessage(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: { type?: unknown; message?: unknown } }
    return error && typeof error.message === 'string' ? `${error.type}: ${error.message}`.slice(0, 300) : undefined
  } catch {
    return undefined // not JSON
  }
}
