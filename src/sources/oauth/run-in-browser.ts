import { type HelperError, toHelperError } from '../../runtime/failure.ts'
import type { SignInPrompt, SignInTools } from './flow.ts'
import type { CallbackListener, ListenerOptions } from './listener/callback-listener.ts'

/**
 * Signs a person in with a browser that comes back to this machine (RFC 8252). The listener is open before anything is shown, and the
 * last page is shown when the sign-in is stored.
 */
export async function runInBrowser(
  { openListener, show }: Pick<SignInTools, 'openListener' | 'show'>,
  { listener: options, begin, explain = toHelperError }: BrowserWay,
): Promise<void> {
  const listener = await openListener(options)
  try {
    const account = await addReturnPage(listener, await begin(listener.redirectUri), show)
    await listener.finish({ account })
  } catch (error) {
    await listener.finish(explain(error))
    throw error
  } finally {
    await listener.close()
  }
}

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

async function addReturnPage(
  listener: CallbackListener,
  request: BrowserRequest,
  show: SignInTools['show'],
): Promise<string | undefined> {
  const callback = listener.waitForCallback(request.state)
  // A refusal must not end the process before it is awaited below.
  callback.catch(() => undefined)
  await show(request.prompt)
  return request.redeem(await callback)
}
