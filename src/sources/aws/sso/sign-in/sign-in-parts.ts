import type { SignInTools } from '../../../oauth/flow.ts'
import type { OidcParts } from '../requests/send-oidc.ts'
import type { SsoSite } from '../sso-parts.ts'

/** What one way of signing in is given. Its region is the portal's. */
export interface SignInParts extends OidcParts {
  readonly host: Pick<SignInTools['host'], 'home' | 'clock'>
  readonly tools: SignInTools
  readonly site: SsoSite
  /** The portal behind the start URL. */
  readonly issuerUrl: string
}
