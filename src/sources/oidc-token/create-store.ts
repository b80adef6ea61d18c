import type { Call } from '../../helper/define-helper.ts'
import type { Host } from '../../runtime/host.ts'
import type { OidcSettings } from '../oauth/oidc/settings.ts'
import { createFileStore } from '../oauth/store/file-store.ts'
import type { SignInStore } from '../oauth/store/sign-in-store.ts'
import type { OidcTokenOptions } from './settings/options.ts'

/** Where the sign-in of these settings is kept. Loaded on use: a call that is served from the cache reads its id only. */
export function createStore(
  settings: OidcSettings,
  options: Pick<OidcTokenOptions, 'refresh-token-store'>,
  { host, call }: { readonly host: Host; readonly call: Pick<Call, 'warn'> },
): SignInStore {
  const refreshTokens = options['refresh-token-store'] === 'none' ? 'none' : 'kept'
  return createFileStore(settings, { host, refreshTokens, warn: call.warn })
}
