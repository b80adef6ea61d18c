import { HelperError } from '../../runtime/failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/oidc-settings.ts'

/** The result of a person's sign-in, or of its renewal. */
export type SignInResult =
  | {
      readonly ok: true
      /** The token that the gateway gets. */
      readonly token: Secret
      /** How long it lives from now on, in seconds; `undefined` if that is not stated. */
      readonly lifeSec: number | undefined
      /** Whether the provider issued a refresh token. */
      readonly isRenewable: boolean
      /** In real time. */
      readonly durationMs: number
    }
  | { readonly ok: false; readonly failure: HelperError; readonly durationMs: number }

/** A person's sign-in with one provider, whose tokens are kept in memory. */
export interface ClientSignIn {
  /** Has a person sign in, in a browser that opens. */
  signIn(): Promise<SignInResult>
  /** Gets new tokens without a person. A failure of the kind `sign-in-required` says that only a sign-in gives new ones. */
  renew(): Promise<SignInResult>
}

/** Opens a sign-in without tokens, so that no token of another registration or person is ever sent. */
export type OpenSignIn = (settings: OidcSettings) => ClientSignIn

/** A client without a person in front of it opens no browser, and every sign-in fails with a message that says so. */
export const createFailingSignIn: OpenSignIn = () => {
  const answer = async () => ({ ok: false, failure: noPerson, durationMs: 0 }) as const
  return { signIn: answer, renew: answer }
}

const noPerson = new HelperError(
  'sign-in-required',
  'this client has no way to sign a person in',
  'set openSignIn of world; see docs/client-library.md',
)
