import type { AuthScheme, Inference } from '../config/document.ts'
import { mergeHeaders } from '../contract/headers.ts'
import { vendor } from '../vendor.ts'
import type { HeldCredential } from './run-credential-helper.ts'

/** The API version that clients send. Specification. */
const apiVersion = '2023-06-01'

/** How long the client waits for an answer to begin. */
const answerTimeoutMs = 30_000

export interface Turn {
  readonly inference: Inference & { readonly baseUrl: string }
  readonly credential: HeldCredential
  readonly authScheme: AuthScheme
  readonly text: string
}

/** What the gateway answered; `undefined` where it could not be reached. */
export type TurnAnswer = { readonly status: number; readonly text: string } | undefined

/** Sends one turn to the gateway. Redirects are not followed: they would carry the token elsewhere. */
export async function sendTurn({ inference, credential, authScheme, text }: Turn): Promise<TurnAnswer> {
  try {
    const response = await fetch(`${inference.baseUrl.replace(/\/+$/, '')}/v1/messages`, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(answerTimeoutMs),
      headers: {
        ...mergeHeaders(inference.customHeaders ?? {}, credential.headers),
        ...authorize(credential, authScheme),
        [vendor.versionHeader]: apiVersion,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'default', max_tokens: 256, messages: [{ role: 'user', content: text }] }),
    })
    return { status: response.status, text: await response.text() }
  } catch {
    return undefined // connection errors and timeouts; their messages may repeat headers
  }
}

function authorize({ token }: HeldCredential, scheme: AuthScheme): Record<string, string> {
  return scheme === 'bearer' ? { authorization: `Bearer ${token.reveal()}` } : { 'x-api-key': token.reveal() }
}
