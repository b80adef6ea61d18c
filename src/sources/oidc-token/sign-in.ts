import type { NetworkCall } from '../../helper/define-helper.ts'
import type { SignIn, SignOut } from '../../helper/sign-in.ts'
import type { Host } from '../../runtime/host.ts'
import type { OidcTokenPlan } from './plan.ts'
import type { OidcTokenCallOptions } from './settings/options.ts'

/** How a person signs in and out. Loaded on use, because a call does without. */
export const oidcSignIn = {
  async signIn(
    host: Host,
    options: OidcTokenCallOptions,
    call: NetworkCall,
    { settings }: OidcTokenPlan,
  ): Promise<SignIn | undefined> {
    const way = options['sign-in']
    if (way === 'off') return undefined
    const [{ createSignIn }, { createFlow }] = await Promise.all([
      import('../oauth/create-sign-in.ts'),
      import('./create-flow.ts'),
    ])
    return createSignIn(createFlow(settings, options, { host, call, way }).flow, { host, call, options })
  },

  async signOut(
    host: Host,
    options: OidcTokenCallOptions,
    call: NetworkCall,
    { settings }: OidcTokenPlan,
  ): Promise<SignOut> {
    const [{ signOut }, { createFlow }] = await Promise.all([
      import('../oauth/store/sign-out.ts'),
      import('./create-flow.ts'),
    ])
    // A refresh token that was kept under other options is revoked as well.
    const keyPlace = options['refresh-token-store'] === 'keychain' ? 'keychain' : 'file'
    const kept = { ...options, 'refresh-token-store': keyPlace } as const
    const { store, flow } = createFlow(settings, kept, { host, call, way: 'auto' })
    return signOut(settings, store, { host, call, flow })
  },
}
