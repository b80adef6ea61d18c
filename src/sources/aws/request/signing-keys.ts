import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import type { AuthorityFile } from '../../../runtime/network/settings.ts'
import type { Secret } from '../../../runtime/secret.ts'
import type { EndpointSettings } from '../endpoint-settings.ts'

/** The keys that sign a request; temporary ones have a session token, permanent ones do not. */
export interface SigningKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken?: Secret | undefined
  /** AWS's clock minus this machine's clock (see `toClockOffset`); `undefined` if AWS was not asked. */
  readonly clockOffsetMs?: number | undefined
}

/** Keys that expire, such as those that AWS gives to an instance, a container or a console sign-in. */
export interface TemporaryKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken: Secret
  readonly expiration: Date
  readonly account: string | undefined
}

/** Converts keys to the form in which the SDK's signer takes them. */
export function toSdkKeys({ accessKeyId, secretAccessKey, sessionToken }: SigningKeys) {
  return {
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
    ...(sessionToken && { sessionToken: sessionToken.reveal() }),
  }
}

/** The parts of a call that a request to AWS needs, and the region and endpoints. */
export interface RequestContext {
  readonly host: Pick<Host, 'clock'>
  readonly call: Pick<NetworkCall, 'deadline' | 'network'>
  readonly plan: {
    readonly region: string
    readonly endpoints: EndpointSettings
    /** The profile's own `ca_bundle`. */
    readonly authority?: AuthorityFile | undefined
  }
}

/** Returns the context with the certificate authorities of the profile's `ca_bundle`, which are trusted as well. */
export function withProfileAuthority<T extends RequestContext>(context: T): T {
  const { call, plan } = context
  const { authorities } = call.network
  if (!plan.authority || authorities.includes(plan.authority)) return context
  const network = { ...call.network, authorities: [...authorities, plan.authority] }
  return { ...context, call: { ...call, network } }
}
