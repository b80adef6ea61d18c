import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { AuthScheme, Inference } from '../config/document.ts'
import { mergeHeaders } from '../contract/headers.ts'
import { vendor } from '../vendor.ts'
import type { HeldCredential } from './run-credential-helper.ts'

/** The API version that clients send. Specification. */
const apiVersion = '2023-06-01'

/** How long the client waits for an answer to begin. */
const answerTimeoutMs = 30_000

export type GatewayInference = Inference & { readonly baseUrl: string }

export interface Turn {
  readonly inference: GatewayInference
  readonly credential: HeldCredential
  readonly authScheme: AuthScheme
  readonly text: string
}

/** What the gateway answered, or why there is no answer: HTTP cannot carry the token or a header, or nobody is there. */
export type TurnAnswer = { readonly status: number; readonly text: string } | 'unsendable' | 'unreachable'

/** Sends one turn to the gateway. Redirects are not followed: they would carry the token elsewhere. */
export async function sendTurn({ inference, credential, authScheme, text }: Turn): Promise<TurnAnswer> {
  const headers = mergeHeaders(mergeHeaders(inference.customHeaders ?? {}, credential.headers), {
    ...authorize(credential, authScheme),
    [vendor.versionHeader]: apiVersion,
    'content-type': 'application/json',
  })
  if (!isSendable(headers)) return 'unsendable'
  try {
    const response = await fetch(`${inference.baseUrl.replace(/\/+$/, '')}/v1/messages`, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(answerTimeoutMs),
      headers,
      body: JSON.stringify({ model: 'default', max_tokens: 256, messages: [{ role: 'user', content: text }] }),
    })
    return { status: response.status, text: await response.text() }
  } catch {
    return 'unreachable' // connection errors and timeouts; their messages may repeat headers
  }
}

function authorize({ token }: HeldCredential, scheme: AuthScheme): Record<string, string> {
  return scheme === 'bearer' ? { authorization: `Bearer ${token.reveal()}` } : { 'x-api-key': token.reveal() }
}

/** A client takes any one line for a token, so it may hold letters that HTTP has no bytes for. */
function isSendable(headers: Readonly<Record<string, string>>): boolean {
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    }
    return true
  } catch {
    return false // it throws for nothing else
  }
}
