import type { NetworkCall } from '../../helper/define-helper.ts'
import type { DiagnosedRun, Diagnosis } from '../../helper/diagnosis.ts'
import type { SignIn, SignInState, SignOut } from '../../helper/sign-in.ts'
import type { Host } from '../../runtime/host.ts'
import type { OidcTokenCallOptions } from './oidc-token-options.ts'
import type { OidcTokenPlan } from './plan-person-token.ts'

/** The declaration of signing in and out. Its parts are loaded on use, like those of the declarations of other helpers. */
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
      import('./create-store.ts'),
    ])
    return createSignIn(createFlow(settings, options, { host, call, way }).flow, { host, call, options })
  },

  async renew(
    host: Host,
    options: OidcTokenCallOptions,
    call: NetworkCall,
    { settings, exchange }: OidcTokenPlan,
  ): Promise<void> {
    const [{ renewForRuns }, { createStore }, { parseIssued }] = await Promise.all([
      import('../oauth/store/renew-sign-in.ts'),
      import('./create-store.ts'),
      import('../oauth/progress/to-detached-environment.ts'),
    ])
    const issued = parseIssued(host.env)
    if (issued === undefined) return // no run waits for it
    const store = createStore(settings, options, { host, call })
    await renewForRuns(settings, store, { host, call, issued, isPersonUsed: exchange !== undefined })
  },

  async whoami(
    host: Host,
    options: OidcTokenCallOptions,
    call: NetworkCall,
    plan: OidcTokenPlan,
  ): Promise<SignInState> {
    const { readSignInState } = await import('./read-sign-in-state.ts')
    return readSignInState(host, options, call, plan)
  },

  async signOut(
    host: Host,
    options: OidcTokenCallOptions,
    call: NetworkCall,
    { settings }: OidcTokenPlan,
  ): Promise<SignOut> {
    const [{ signOut }, { createFlow }, { openProvider }] = await Promise.all([
      import('../oauth/store/sign-out.ts'),
      import('./create-store.ts'),
      import('../oauth/oidc/protocol/open-provider.ts'),
    ])
    // A refresh token that was stored under other options is revoked too.
    const keyLocation = options['refresh-token-store'] === 'keychain' ? 'keychain' : 'file'
    const kept = { ...options, 'refresh-token-store': keyLocation } as const
    const { store, flow } = createFlow(settings, kept, { host, call, way: 'auto' })
    return signOut(settings, store, { host, call, flow, open: openProvider })
  },
}

/** The report of `--explain` and `gatepass doctor` about a person's sign-in. */
export const oidcTokenDiagnosis = {
  async explain({ steps, settings, files }: OidcTokenPlan): Promise<readonly string[]> {
    const { describeRedirect } = await import('../../contract/identity-providers/describe-redirect.ts')
    return [...steps, `kept in ${files.sealed}`, `where the browser comes back: ${describeRedirect(settings).text}`]
  },

  async diagnose(
    host: Host,
    options: OidcTokenCallOptions,
    call: NetworkCall,
    { plan, outcome }: DiagnosedRun<OidcTokenPlan>,
  ): Promise<Diagnosis> {
    if (!plan) return {}
    const { diagnoseSignIn } = await import('./diagnose-sign-in.ts')
    const identity = await diagnoseSignIn(host, options, call, plan)
    const { issuer, tokenUrl } = plan.settings
    const clocks = [issuer ?? tokenUrl ?? []].flat()
    if (outcome === 'succeeded' || !plan.exchange) return { identity, isNamed: true, clocks }
    const { prepareAtPlatform } = await import('./prepare-at-platform.ts')
    const { createStore } = await import('./create-store.ts')
    const store = createStore(plan.settings, options, { host, call: { ...call, context: 'background' } })
    return {
      identity,
      isNamed: true,
      clocks,
      exchange: await prepareAtPlatform(plan.exchange, plan.settings, { store, deadline: call.deadline }),
    }
  },
}
