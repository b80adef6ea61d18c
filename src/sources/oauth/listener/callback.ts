// The types of the browser's return after a sign-in: the redirect URI, its parameters and the outcome. `open-listener.ts` has the listener
// itself.

import { randomBytes } from 'node:crypto'
import { usualRedirectPath } from '../../../contract/identity-providers/family.ts'
import type { RedirectHost } from '../../../contract/oauth-names.ts'
import type { HelperError } from '../../../runtime/failure.ts'
import { normalizeHost } from '../../../runtime/network/addresses.ts'

/** The redirect URI to which the browser comes back (RFC 8252, section 7.3), and the form of its answer. */
export interface ListenerOptions {
  /** The first host is used in the redirect URI. `localhost` is bound in both address families. */
  readonly hosts: readonly RedirectHost[]
  readonly path: string
  /** The registered port; absent: a free port. */
  readonly port?: number | undefined
  /**
   * The hosts from whose pages the browser may come back, as {@link listReferrers} returns them. If they are set, only a tab that navigates
   * to the callback counts, not something that a page loads.
   */
  readonly referrers?: readonly string[] | undefined
  /** `form_post`: a code has to be posted as a form (OAuth 2.0 Form Post Response Mode); an error may still come in the query. */
  readonly responseMode?: 'query' | 'form_post' | undefined
  /** Explains an error of the provider; absent: only the error's code is shown. */
  explainError?(error: CallbackError): HelperError
}

/** An error in the redirect (RFC 6749, section 4.1.2.1). Anybody who knows the address can invent the description. */
export interface CallbackError {
  readonly error: string
  readonly description: string | undefined
  /** The `iss` of the answer (RFC 9207); `undefined` if it has none. */
  readonly issuer: string | undefined
  readonly redirectUri: string
}

/** An HTTP server on this machine that waits for the redirect of the browser. */
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

/** The outcome of a sign-in for the page in the browser. */
export type SignInOutcome = SignedInPage | HelperError

/** The page for a person who is signed in. */
export interface SignedInPage {
  /** The account that is signed in, for people; `undefined` if it is not known. */
  readonly account?: string | undefined
  /** Set if another program signed the person in meanwhile, and not the answer in this tab. */
  readonly isElsewhere?: true
}

/** The names of a sign-in on its pages. */
export interface SignInNames {
  /** The service that the person signs in to: `login.example`. */
  readonly subject: string
  /** The purpose of the sign-in: the name of the program, and more, such as `with the client gatepass`. */
  readonly purpose?: string | undefined
}

/**
 * Creates a path with a random segment, for providers that do not compare the path. Without this path and the state, a page in the person's
 * browser cannot even detect that a sign-in is under way.
 */
export function createCallbackPath(): string {
  return `${usualRedirectPath}/${randomBytes(16).toString('base64url')}`
}

/**
 * Lists the hosts from whose pages the browser may come back: the provider's own and the additional ones.
 * @param addresses The issuer and the authorization endpoint; a text that is not a URL is left out.
 */
export function listReferrers(addresses: readonly (string | undefined)[], more: readonly string[]): string[] {
  const own = addresses.map((address) => URL.parse(address ?? '')?.hostname ?? '')
  return [...new Set([...own, ...more].map(normalizeHost))].filter((host) => host !== '')
}
