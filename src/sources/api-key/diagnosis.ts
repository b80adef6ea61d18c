import type { MintedToken, NetworkCall } from '../../helper/define-helper.ts'
import type { DiagnosedRun, Diagnosis } from '../../helper/diagnosis.ts'
import type { Host } from '../../runtime/host.ts'
import type { ApiKeyOptions } from './options.ts'
import type { ApiKeyPlan } from './plan.ts'

/** The report of `--verify` and `gatepass doctor` about a key. Its parts are loaded on use, because a call does not need them. */
export const apiKeyDiagnosis = {
  async report(
    host: Host,
    options: ApiKeyOptions,
    call: NetworkCall,
    { token }: MintedToken,
  ): Promise<readonly string[] | undefined> {
    if (!options.verify) return undefined
    const [{ fetchKeyStanding }, { describeStanding }] = await Promise.all([
      import('./fetch-key-standing.ts'),
      import('./describe-standing.ts'),
    ])
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
