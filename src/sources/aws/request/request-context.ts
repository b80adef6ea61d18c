import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import type { AuthorityFile } from '../../../runtime/network/settings.ts'
import type { EndpointSettings } from '../endpoints/endpoint-settings.ts'

/** What a request to AWS needs of its call, and where AWS is asked. */
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

/** The same context, in which the certificate authorities of the profile's `ca_bundle` are trusted too. */
export function addProfileAuthority<T extends RequestContext>(context: T): T {
  const { call, plan } = context
  const { authorities } = call.network
  if (!plan.authority || authorities.includes(plan.authority)) return context
  const network = { ...call.network, authorities: [...authorities, plan.authority] }
  return { ...context, call: { ...call, network } }
}
