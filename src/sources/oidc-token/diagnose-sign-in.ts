import { describeRedirect } from '../../contract/identity-providers/describe-redirect.ts'
import { toOptionName } from '../../contract/identity-providers/provider-settings.ts'
import { validateProvider } from '../../contract/identity-providers/validate-provider.ts'
import { bearerTokenNames } from '../../contract/oauth-names.ts'
import type { NetworkCall } from '../../helper/define-helper.ts'
import type { DiagnosisLine } from '../../helper/diagnosis.ts'
import type { Host } from '../../runtime/host.ts'
import { describeMoment } from '../../runtime/values/duration.ts'
import { describeAccount } from '../oauth/oidc/describe-account.ts'
import { describeProvider } from '../oauth/oidc/describe-provider.ts'
import { openProvider } from '../oauth/oidc/protocol/open-provider.ts'
import { openKey } from '../oauth/store/open-key.ts'
import type { StoredSignIn } from '../oauth/store/sign-in-store.ts'
import { isRefused, toNotSignedIn, toRefused } from '../oauth/store/stored-tokens.ts'
import { observeAttempt } from '../observe-attempt.ts'
import { createStore } from './create-store.ts'
import { describeRemedy } from './missing-refresh-token.ts'
import type { OidcTokenCallOptions, OidcTokenOptions } from './oidc-token-options.ts'
import type { OidcTokenPlan } from './plan-person-token.ts'

/** Reads the stored sign-in, and fetches the provider's metadata. No person is asked, and nothing is renewed. */
export async function diagnoseSignIn(
  host: Host,
  options: OidcTokenCallOptions,
  call: NetworkCall,
  plan: OidcTokenPlan,
): Promise<DiagnosisLine[]> {
  return [
    ...(await examineProvider(host, call, plan)),
    ...examineSettings(options, plan),
    ...(await examineStore(host, options, call, plan)),
    { status: 'good', text: `where the browser comes back: ${describeRedirect(plan.settings).text}` },
  ]
}

async function examineProvider(host: Host, call: NetworkCall, { settings }: OidcTokenPlan): Promise<DiagnosisLine[]> {
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

/** Finds options that contradict the known facts about providers like this one. */
function examineSettings(options: OidcTokenCallOptions, { settings }: OidcTokenPlan): DiagnosisLine[] {
  const { 'refresh-token-store': kept, 'sign-in': signIn } = options
  const problems = validateProvider({ ...settings, keepsRefreshToken: kept !== 'none', signIn }, toOptionName)
  return problems.map(({ setting, message, hint }) => ({
    status: 'note',
    text: `${toOptionName(setting)}: ${message}`,
    hint,
  }))
}

async function examineStore(
  host: Host,
  options: OidcTokenCallOptions,
  call: NetworkCall,
  plan: OidcTokenPlan,
): Promise<DiagnosisLine[]> {
  const isInKeychain = options['refresh-token-store'] === 'keychain'
  const keychain = isInKeychain ? await examineKeychain(host, call, plan) : []
  if (keychain.some(({ status }) => status === 'bad')) return keychain
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  return observeAttempt(async () => {
    const signIn = await createStore(plan.settings, options, { host, call: { warn, context: 'background' } }).read(
      call.deadline,
    )
    const keyLocation = isInKeychain ? 'the keychain' : plan.files.key
    const described = { plan, options, program: call.program, now: host.clock.now(), keyLocation }
    return [
      ...keychain,
      ...warnings.map((text) => ({ status: 'note' as const, text })),
      ...describeSignIn(signIn, described),
    ]
  })
}

/** The plan of a described sign-in, with the run that made it. */
interface DescribedPlan {
  readonly plan: OidcTokenPlan
  readonly options: OidcTokenOptions
  readonly program: string
  /** The location of the sealed file's key. */
  readonly keyLocation: string
  /** The present time, in milliseconds since the epoch. */
  readonly now: number
}

/** Examines the keychain with the key of a sign-in, and whether it returns the key. It is not unlocked for that. */
async function examineKeychain(
  host: Host,
  call: NetworkCall,
  { settings, files }: OidcTokenPlan,
): Promise<DiagnosisLine[]> {
  return observeAttempt(async () => {
    const key = await openKey('keychain', settings, { host, files, prompt: 'never' })
    const found = await key.read(call.deadline)
    const text = found ? `the key of the sign-in is ${key.where}` : `the key of the sign-in is not yet ${key.where}`
    return [{ status: 'good', text: `${text}, which is unlocked` }]
  })
}

/** Describes who is signed in and since when, where that is stored, and how long it lasts. */
function describeSignIn(signIn: StoredSignIn | undefined, described: DescribedPlan): DiagnosisLine[] {
  const { plan, program, now, keyLocation } = described
  const { settings, files } = plan
  const hint = `sign in, with the options of this run: ${program} sign-in`
  if (!signIn) return [{ status: 'bad', text: toNotSignedIn(describeProvider(settings)).message, hint }]
  const who = describeAccount(signIn.tokens.idToken, signIn.subject) ?? 'a person'
  return [
    {
      status: 'good',
      text: `${who} is signed in since ${describeMoment(signIn.since, now)}`,
      details: [`kept in ${files.sealed}, encrypted`, `its key is in ${keyLocation}`],
    },
    ...(signIn.refused && isRefused(signIn)
      ? [{ status: 'bad' as const, text: toRefused(signIn.refused, describeProvider(settings)).message, hint }]
      : []),
    describeLife(signIn, { ...described, hint }),
  ]
}

/** Describes when the gateway's token expires, and whether it is renewed then. */
function describeLife(
  { tokens }: StoredSignIn,
  { plan: { settings }, options, now, hint }: DescribedPlan & { readonly hint: string },
): DiagnosisLine {
  const name = `the ${bearerTokenNames[settings.bearerTokenType]}`
  const endsAt = tokens.expiresAt?.getTime()
  const isOver = endsAt !== undefined && endsAt <= now
  const end =
    endsAt === undefined ? 'has no known end' : `${isOver ? 'ended at' : 'lives until'} ${describeMoment(endsAt, now)}`
  if (tokens.refreshToken)
    return {
      status: 'good',
      text: `${name} ${end}; a refresh token is kept, with which it is renewed without a person`,
    }
  const text = `${name} ${end}; no refresh token is kept`
  return isOver ? { status: 'bad', text, hint } : { status: 'note', text, hint: describeRemedy(settings, options) }
}
