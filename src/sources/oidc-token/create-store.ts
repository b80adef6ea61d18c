import { isPromptAllowed } from '../../contract/context.ts'
import type { Call, NetworkCall } from '../../helper/define-helper.ts'
import type { Host } from '../../runtime/host.ts'
import type { OidcSettings } from '../oauth/oidc/oidc-settings.ts'
import { createOidcFlow } from '../oauth/oidc/sign-in/oidc-flow.ts'
import type { SignInWay } from '../oauth/sign-in-options.ts'
import { createFileStore } from '../oauth/store/file-store.ts'
import type { SignInStore } from '../oauth/store/sign-in-store.ts'
import type { OidcTokenCallOptions } from './oidc-token-options.ts'

/**
 * Creates the store of these settings. Its code is loaded on use, because a call that is served from the cache only reads the sign-in's ID.
 */
export function createStore(
  settings: OidcSettings,
  options: Pick<OidcTokenCallOptions, 'refresh-token-store' | 'explain'>,
  { host, call }: { readonly host: Host; readonly call: Pick<Call, 'warn' | 'context'> },
): SignInStore {
  const kept = options['refresh-token-store']
  return createFileStore(settings, {
    host,
    warn: call.warn,
    refreshTokens: kept === 'none' ? 'none' : 'kept',
    keyName: kept === 'keychain' ? 'keychain' : 'file',
    prompt: isPromptAllowed(call.context) && !options.explain ? 'allowed' : 'never',
  })
}

export function createFlow(
  settings: OidcSettings,
  options: Pick<OidcTokenCallOptions, 'refresh-token-store' | 'explain'>,
  { host, call, way }: { readonly host: Host; readonly call: NetworkCall; readonly way: SignInWay },
) {
  const store = createStore(settings, options, { host, call })
  return { store, flow: createOidcFlow(settings, { host, store, way }) }
}
