// Does the part of a flow in which a browser comes back to this machine (RFC 8252).

import { hash, randomBytes } from 'node:crypto'
import { type HelperError, toHelperError } from '../../runtime/failure.ts'
import type { SignInPrompt, SignInTools } from './flow.ts'
import type { CallbackListener, ListenerOptions } from './listener/callback.ts'

/**
 * Signs a person in with a browser that comes back to this machine (RFC 8252). The listener is open before anything is shown, and the last
 * page is shown after the sign-in is stored. If the sign-in is ended meanwhile, `runFlow` shows the reason in every tab, and closes the
 * listener.
 */
export async function runInBrowser(
  tools: BrowserTools,
  { listener: options, begin, explain = toHelperError }: BrowserWay,
): Promise<void> {
  const listener = await tools.openListener(options)
  try {
    const account = await askPerson(listener, await begin(listener.redirectUri), tools)
    await listener.finish({ account })
  } catch (error) {
    if (!tools.signal.aborted) await listener.finish(explain(error))
    throw error
  } finally {
    if (!tools.signal.aborted) await listener.close()
  }
}

/** Creates a code verifier of 64 characters (RFC 7636, section 4.1). */
export function createCodeVerifier(): string {
  return randomBytes(48).toString('base64url')
}

/** Digests a code verifier to its challenge by SHA-256 (RFC 7636, section 4.2). */
export function digestVerifier(verifier: string): string {
  return hash('sha256', verifier, 'base64url')
}

/** The tools of a sign-in that a browser needs. */
type BrowserTools = Pick<SignInTools, 'openListener' | 'show' | 'signal'>

/** A sign-in with a redirect URI, whose answer the browser brings back to this machine. */
interface BrowserRequest {
  /** The parameter `state`, by which the answer is recognized. */
  readonly state: string
  readonly prompt: SignInPrompt
  /** Exchanges the answer for tokens and stores them. @returns who has signed in, if that is known. */
  redeem(answer: URLSearchParams): Promise<string | undefined>
}

/** How a sign-in with one provider runs in a browser. */
interface BrowserWay {
  readonly listener: ListenerOptions
  begin(redirectUri: string): Promise<BrowserRequest>
  /** Describes an error for the last page. */
  explain?(error: unknown): HelperError
}

async function askPerson(
  listener: CallbackListener,
  request: BrowserRequest,
  { show, signal }: BrowserTools,
): Promise<string | undefined> {
  const callback = listener.waitForCallback(request.state)
  // A refusal must not end the process before it is awaited below.
  callback.catch(() => undefined)
  await show(request.prompt)
  const answer = await callback
  // Checked before the code is redeemed, because nobody would store the tokens.
  signal.throwIfAborted()
  return request.redeem(answer)
}
