import { describeRedirect } from '../../contract/identity-providers/describe-redirect.ts'
import { findProviderProblems } from '../../contract/identity-providers/find-provider-problems.ts'
import type { SettingName } from '../../contract/identity-providers/provider-settings.ts'
import type { NetworkCall } from '../../helper/define-helper.ts'
import type { Observation } from '../../helper/diagnosis.ts'
import type { Host } from '../../runtime/host.ts'
import { observeAttempt } from '../diagnose-attempt.ts'
import { openProvider } from '../oauth/oidc/protocol/open-provider.ts'
import { createStore } from './create-store.ts'
import { describeSignIn } from './describe-sign-in.ts'
import { examineKeychain } from './examine-keychain.ts'
import type { OidcTokenPlan } from './plan.ts'
import type { OidcTokenCallOptions } from './settings/options.ts'

/** Reads what is kept of a sign-in, and asks the provider where its endpoints are; nobody is asked, and nothing is renewed. */
export async function diagnoseSignIn(
  host: Host,
  options: OidcTokenCallOptions,
  call: NetworkCall,
  plan: OidcTokenPlan,
): Promise<Observation[]> {
  return [
    ...(await examineProvider(host, call, plan)),
    ...examineSettings(options, plan),
    ...(await examineStore(host, options, call, plan)),
    { status: 'good', text: `where the browser comes back: ${describeRedirect(plan.settings).text}` },
  ]
}

async function examineProvider(host: Host, call: NetworkCall, { settings }: OidcTokenPlan): Promise<Observation[]> {
  const { issuer, tokenUrl } = settings
  if (issuer === undefined)
    return [
      { status: 'unknown', text: `${tokenUrl} is set without an issuer, so that nothing tells whether it is right` },
    ]
  return observeAttempt(async () => {
    await openProvider(settings, { host, call })
    return [{ status: 'good', text: `${issuer} answers, and says where its endpoints are` }]
  })
}

/** What is known of providers like this one, and contradicts the options. */
function examineSettings(options: OidcTokenCallOptions, { settings }: OidcTokenPlan): Observation[] {
  const { 'refresh-token-store': kept, 'sign-in': signIn } = options
  const problems = findProviderProblems({ ...settings, keepsRefreshToken: kept !== 'none', signIn }, toOptionName)
  return problems.map(({ setting, message, hint }) => ({
    status: 'note',
    text: `${toOptionName(setting)}: ${message}`,
    hint,
  }))
}

/** A member of the settings as the option that sets it is spelled. */
function toOptionName(setting: SettingName): string {
  if (setting === 'parameters') return 'authorization-parameter'
  return setting.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

async function examineStore(
  host: Host,
  options: OidcTokenCallOptions,
  call: NetworkCall,
  plan: OidcTokenPlan,
): Promise<Observation[]> {
  const keychain = options['refresh-token-store'] === 'keychain' ? await examineKeychain(host, call, plan) : undefined
  if (keychain?.status === 'bad') return [keychain]
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  return observeAttempt(async () => {
    const signIn = await createStore(plan.settings, options, { host, call: { warn, context: 'background' } }).read(
      call.deadline,
    )
    const keyPlace = keychain ? 'the keychain' : plan.files.key
    const described = { plan, options, program: call.program, now: host.clock.now(), keyPlace }
    return [
      ...(keychain ? [keychain] : []),
      ...warnings.map((text) => ({ status: 'note' as const, text })),
      ...describeSignIn(signIn, described),
    ]
  })
}
