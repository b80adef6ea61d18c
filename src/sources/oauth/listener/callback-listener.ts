import type { HelperError } from '../../../runtime/failure.ts'

/** Where the browser comes back to (RFC 8252, section 7.3), and how. */
export interface ListenerOptions {
  /** The first is used in the redirect URI; `localhost` is bound in both address families. */
  readonly hosts: readonly ('127.0.0.1' | 'localhost')[]
  readonly path: string
  /** A free one where none is given. */
  readonly port?: number | undefined
  /**
   * The hosts from whose pages the browser may come back, as `listReferrers` gives them. Where they are given, only a tab that goes to
   * the callback counts, and nothing that a page loads.
   */
  readonly referrers?: readonly string[] | undefined
  /** `form_post`: a code has to be posted as a form (OAuth 2.0 Form Post Response Mode); an error may come in the query all the same. */
  readonly responseMode?: 'query' | 'form_post' | undefined
  /** What an error of the provider means. Without it, its code is repeated. */
  explainError?(error: CallbackError): HelperError
}

/** An error with which the browser came back (RFC 6749, section 4.1.2.1): whoever knows the address can make up the description. */
export interface CallbackError {
  readonly error: string
  readonly description: string | undefined
  /** Who says that he refuses (RFC 9207). */
  readonly issuer: string | undefined
  readonly redirectUri: string
}

/** An HTTP server on this machine that waits for the one request with which the browser comes back. */
export interface CallbackListener {
  readonly redirectUri: string
  /**
   * Resolves with the parameters of the one request whose method, path, `Host`, `state` and sender are right; every other gets 404.
   * @throws {HelperError} where that request carries an `error` of the provider; `refused` where nobody explains it.
   */
  waitForCallback(state: string): Promise<URLSearchParams>
  /** The last host that is none of the referrers and from which an answer came that is right otherwise. */
  findForeignHost(): string | undefined
  /** What the tab shows at the end. */
  finish(outcome: SignInOutcome): Promise<void>
  close(): Promise<void>
}

/** How a sign-in ended. */
export type SignInOutcome = 'signed-in' | HelperError
