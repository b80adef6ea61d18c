import { type HelperError, toHelperError } from '../../../runtime/failure.ts'
import type { SignInPrompt, SignInTools } from '../flow.ts'
import type { CallbackListener, ListenerOptions } from '../listener/callback-listener.ts'

/** A sign-in whose answer the browser brings back to this machine, as its redirect URI made it. */
export interface BrowserRequest {
  /** The parameter of that name, by which the answer is known. */
  readonly state: string
  readonly prompt: SignInPrompt
  /** Redeems the answer and stores what that gives. */
  redeem(answer: URLSearchParams): Promise<void>
}

/** How one provider signs in by a browser. */
export interface BrowserWay {
  readonly listener: ListenerOptions
  begin(redirectUri: string): Promise<BrowserRequest>
  /** What the last page says of an error. */
  explain?(error: unknown): HelperError
}

/**
 * Signs a person in with a browser that comes back to this machine (RFC 8252). The listener is open before anything is shown,
 * and the last page waits until the sign-in is stored.
 */
export async function runInBrowser(
  { openListener, show }: Pick<SignInTools, 'openListener' | 'show'>,
  { listener: options, begin, explain = toHelperError }: BrowserWay,
): Promise<void> {
  const listener = await openListener(options)
  try {
    await bringBack(listener, await begin(listener.redirectUri), show)
    await listener.finish('signed-in')
  } catch (error) {
    await listener.finish(explain(error))
    throw error
  } finally {
    await listener.close()
  }
}

async function bringBack(
  listener: CallbackListener,
  request: BrowserRequest,
  show: SignInTools['show'],
): Promise<void> {
  const callback = listener.waitForCallback(request.state)
  // Until it is awaited below, a refusal must not end the process.
  callback.catch(() => undefined)
  await show(request.prompt)
  await request.redeem(await callback)
}
