// How the browser comes back after a sign-in: what it comes back to, with what, and how it ends. The listener itself is in open-listener.ts.

import { randomBytes } from 'node:crypto'
import { usualRedirectPath } from '../../../contract/identity-providers/family.ts'
import type { HelperError } from '../../../runtime/failure.ts'
import { normalizeHost } from '../../../runtime/network/loopback.ts'

/** The redirect URI to which the browser comes back (RFC 8252, section 7.3), and the form of its answer. */
export interface ListenerOptions {
  /** The first host is used in the redirect URI. `localhost` is bound in both address families. */
  readonly hosts: readonly ('127.0.0.1' | 'localhost')[]
  readonly path: string
  /** If it is not set, a free port is used. */
  readonly port?: number | undefined
  /**
   * The hosts from whose pages the browser may come back, as {@link listReferrers} returns them. If they are set, only a tab that navigates
   * to the callback counts, not something that a page loads.
   */
  readonly referrers?: readonly string[] | undefined
  /** `form_post`: a code has to be posted as a form (OAuth 2.0 Form Post Response Mode); an error may still come in the query. */
  readonly responseMode?: 'query' | 'form_post' | undefined
  /** Explains an error of the provider. Without it, only the error's code is shown. */
  explainError?(error: CallbackError): HelperError
}

/** An error with which the browser came back (RFC 6749, section 4.1.2.1). Anybody who knows the address can invent the description. */
export interface CallbackError {
  readonly error: string
  readonly description: string | undefined
  /** The issuer that the answer names (RFC 9207). */
  readonly issuer: string | undefined
  readonly redirectUri: string
}

/** An HTTP server on this machine that waits for the one request with which the browser comes back. */
export interface CallbackListener {
  readonly redirectUri: string
  /**
   * Resolves with the parameters of the first request whose method, path, `Host`, `state` and sender are right; every other request
   * gets 404.
   * @throws {HelperError} if that request carries an `error` of the provider; `refused` if `explainError` is not set.
   */
  waitForCallback(state: string): Promise<URLSearchParams>
  /** The last host that sent an otherwise correct answer but is not one of the referrers. */
  findForeignHost(): string | undefined
  /** Shows the outcome in the tab that came back. */
  finish(outcome: SignInOutcome): Promise<void>
  close(): Promise<void>
}

/** How a sign-in ended, as far as the page in the browser tells it. */
export type SignInOutcome = SignedInPage | HelperError

/** The page for a person who is signed in. */
export interface SignedInPage {
  /** The account that is signed in, for people; `undefined` if it is not known. */
  readonly account?: string | undefined
  /** The person was signed in by another program meanwhile, not by the answer that came back here. */
  readonly isElsewhere?: true
}

/** How the pages of a sign-in name it. */
export interface SignInNames {
  /** The service that the person signs in to: `login.example`. */
  readonly subject: string
  /** The purpose of the sign-in: the name of the program, and more, such as `with the client gatepass`. */
  readonly purpose?: string | undefined
}

/**
 * A path with a segment that cannot be guessed, for providers that do not compare the path. A page in the person's browser that does
 * not know this path and the state cannot even find out whether a sign-in is under way.
 */
export function createCallbackPath(): string {
  return `${usualRedirectPath}/${randomBytes(16).toString('base64url')}`
}

/**
 * The hosts from whose pages the browser may come back: the provider's own hosts and the additional ones.
 * @param addresses The issuer and the authorization endpoint; a text that is not a URL is left out.
 */
export function listReferrers(addresses: readonly (string | undefined)[], more: readonly string[]): string[] {
  const own = addresses.map((address) => URL.parse(address ?? '')?.hostname ?? '')
  return [...new Set([...own, ...more].map(normalizeHost))].filter((host) => host !== '')
}
