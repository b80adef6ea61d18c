import type { HelperError } from '../../../runtime/failure.ts'

/** Where the browser comes back to (RFC 8252, section 7.3). */
export interface ListenerOptions {
  /** The first is used in the redirect URI; `localhost` is bound in both address families. */
  readonly hosts: readonly ('127.0.0.1' | 'localhost')[]
  readonly path: string
  /** A free one where none is given. */
  readonly port?: number
}

/** An HTTP server on this machine that waits for the one request with which the browser comes back. */
export interface CallbackListener {
  readonly redirectUri: string
  /**
   * Resolves with the query of the one request whose method, path, `Host` and `state` match; every other gets 404.
   * @throws {HelperError} `refused` where that request carries an `error` of the provider.
   */
  waitForCallback(state: string): Promise<URLSearchParams>
  /** What the tab shows at the end. */
  finish(outcome: SignInOutcome): Promise<void>
  close(): Promise<void>
}

/** How a sign-in ended. */
export type SignInOutcome = 'signed-in' | HelperError
