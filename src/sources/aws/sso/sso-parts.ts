import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import type { EndpointSettings } from '../endpoints/endpoint-settings.ts'
import type { SsoSession } from './files/sso-session.ts'

/** How long IAM Identity Center lets a person take, in seconds. The AWS CLI waits as long. */
export const signInLimitSec = 600

/** Which SSO sign-in it is, and where it is made and renewed. */
export interface SsoSite {
  readonly session: SsoSession
  readonly endpoints: EndpointSettings
  /** The files in which its settings may be corrected. */
  readonly place: string
  /** What a person does who has to sign in, imperative. */
  readonly renewalHint: string
}

/** What reading and renewing a sign-in needs. */
export interface SsoParts {
  readonly host: Pick<Host, 'home' | 'clock'>
  readonly call: NetworkCall
  readonly endpoints: EndpointSettings
  /** Where the sign-in is renewed. */
  readonly region: string
  /** See {@link SsoSite}. */
  readonly renewalHint: string
}
