import type { NetworkCall } from '../../helper/define-helper.ts'
import type { DiagnosedRun, Diagnosis } from '../../helper/diagnosis.ts'
import type { Host } from '../../runtime/host.ts'
import type { OidcTokenPlan } from './plan.ts'
import type { OidcTokenCallOptions } from './settings/options.ts'

/** What `--explain` and `gatepass doctor` are told of a person's sign-in. Loaded on use: a call does without. */
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
    if (outcome === 'succeeded' || !plan.exchange) return { identity }
    const { attemptAtPlatform } = await import('./exchange/attempt.ts')
    const { createStore } = await import('./create-store.ts')
    const store = createStore(plan.settings, options, { host, call: { ...call, context: 'background' } })
    return {
      identity,
      exchange: await attemptAtPlatform(plan.exchange, plan.settings, { store, deadline: call.deadline }),
    }
  },
}
