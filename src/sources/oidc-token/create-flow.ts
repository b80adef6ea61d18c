import type { NetworkCall } from '../../helper/define-helper.ts'
import type { Host } from '../../runtime/host.ts'
import type { OidcSettings } from '../oauth/oidc/settings.ts'
import { createOidcFlow } from '../oauth/oidc/sign-in/oidc-flow.ts'
import type { SignInWay } from '../oauth/options.ts'
import { createStore } from './create-store.ts'
import type { OidcTokenCallOptions } from './options.ts'

/** The flow of these settings, and its store. */
export function createFlow(
  settings: OidcSettings,
  options: Pick<OidcTokenCallOptions, 'refresh-token-store' | 'explain'>,
  { host, call, way }: { readonly host: Host; readonly call: NetworkCall; readonly way: SignInWay },
) {
  const store = createStore(settings, options, { host, call })
  return { store, flow: createOidcFlow(settings, { host, store, way }) }
}
