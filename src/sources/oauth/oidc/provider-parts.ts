import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import type { fetchInTime } from '../../../runtime/network/fetch/fetch-in-time.ts'

/** What requests to a provider need. */
export interface ProviderParts {
  readonly host: Pick<Host, 'clock' | 'home'>
  readonly call: Pick<NetworkCall, 'deadline' | 'network'>
  /** A sign-in has its own, because its deadline is that of a person. */
  readonly fetch?: typeof fetchInTime
}

/** The same, with the `fetch` that is used. */
export interface ConnectionParts extends ProviderParts {
  readonly fetch: typeof fetchInTime
}
