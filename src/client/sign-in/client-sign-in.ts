import type { HelperError } from '../../runtime/failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/settings.ts'

/** What came of a sign-in of a person, or of its renewal. */
export type SignInResult =
  | {
      readonly ok: true
      /** The one that the gateway gets. */
      readonly token: Secret
      /** How long it lives from now on, in seconds; `undefined` where nobody says. */
      readonly lifeSec: number | undefined
      /** Whether the provider has given a refresh token. */
      readonly isRenewable: boolean
      /** In real time. */
      readonly durationMs: number
    }
  | { readonly ok: false; readonly failure: HelperError; readonly durationMs: number }

/** A person's sign-in with one provider, whose tokens are kept in memory. */
export interface ClientSignIn {
  /** Has a person sign in, in a browser that opens. */
  signIn(): Promise<SignInResult>
  /** Gets new tokens without a person. A failure of the kind `sign-in-required` says that only a person can. */
  renew(): Promise<SignInResult>
}

/** Begins without tokens, so that none of another registration, or of another person, is ever sent. */
export type OpenSignIn = (settings: OidcSettings) => ClientSignIn
