import type { HelperCommands, MintedToken, NetworkCall } from '../../helper/define-helper.ts'
import type { DiagnosedRun, Diagnosis } from '../../helper/diagnosis.ts'
import type { CommonOptions } from '../../helper/options/every-helper-options.ts'
import type { Host } from '../../runtime/host.ts'
import type { ApiKeyOptions } from './api-key-options.ts'
import type { ApiKeyPlan } from './plan-api-key.ts'

/** The commands that store a key and remove it. */
export const apiKeyCommands: HelperCommands<ApiKeyOptions & CommonOptions, ApiKeyPlan> = {
  store: {
    summary: 'keeps a key that you type or pipe into it',
    longestSec: 600,
    async run(host, options, call, plan) {
      const { runStore } = await import('./run-store.ts')
      await runStore(host, options, call, plan)
    },
  },
  forget: {
    summary: 'removes the key from where it is kept',
    longestSec: 60,
    async run(host, _options, call, plan) {
      const { runForget } = await import('./run-forget.ts')
      await runForget(host, call, plan)
    },
  },
}

/** The report of `--verify` and `gatepass doctor` about a key. */
export const apiKeyDiagnosis = {
  async report(
    host: Host,
    options: ApiKeyOptions,
    call: NetworkCall,
    { token }: MintedToken,
  ): Promise<readonly string[] | undefined> {
    if (!options.verify) return undefined
    const { fetchKeyStanding, describeStanding } = await import('./key-standing.ts')
    const standing = await fetchKeyStanding(token, options, { call, hint: 'put it in place of this one' })
    return describeStanding(standing, host.clock.now())
  },

  async diagnose(
    host: Host,
    options: ApiKeyOptions,
    call: NetworkCall,
    { plan }: DiagnosedRun<ApiKeyPlan>,
  ): Promise<Diagnosis> {
    if (!plan) return {}
    const { diagnoseKey } = await import('./diagnose-key.ts')
    return { identity: await diagnoseKey(host, options, call, plan) }
  },
}
