// Declares the sign-in of a person in a client; `create-open-sign-in.ts` makes real ones.

import { HelperError } from '../../runtime/failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/oidc-settings.ts'

/** The result of a person's sign-in, or of its renewal. */
export type SignInResult =
  | {
      readonly ok: true
      /** The token for the gateway. */
      readonly token: Secret
      /** The remaining life in seconds; `undefined` if it is unknown. */
      readonly lifeSec: number | undefined
      /** Whether the provider issued a refresh token. */
      readonly isRenewable: boolean
      /** In real time. */
      readonly durationMs: number
    }
  | { readonly ok: false; readonly failure: HelperError; readonly durationMs: number }

/** A person's sign-in with one provider, whose tokens are kept in memory. */
export interface ClientSignIn {
  /** Lets a person sign in, in a browser. */
  signIn(): Promise<SignInResult>
  /** Gets new tokens without a person. A failure of the kind `sign-in-required` means that only a sign-in can give new tokens. */
  renew(): Promise<SignInResult>
}

/** Creates a sign-in without tokens, so that no token of another registration or person is ever sent. */
export type OpenSignIn = (settings: OidcSettings) => ClientSignIn

/** Creates the sign-in of a client without a person: it opens no browser, and every attempt fails with a message about it. */
export const createFailingSignIn: OpenSignIn = () => {
  const answer = async () => ({ ok: false, failure: noPerson, durationMs: 0 }) as const
  return { signIn: answer, renew: answer }
}

const noPerson = new HelperError(
  'sign-in-required',
  'this client has no way to sign a person in',
  'set openSignIn of world; see docs/client-library.md',
)
