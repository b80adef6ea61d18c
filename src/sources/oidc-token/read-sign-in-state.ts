import { isPromptAllowed } from '../../contract/context.ts'
import { bearerTokenNames } from '../../contract/oauth-names.ts'
import type { NetworkCall } from '../../helper/define-helper.ts'
import type { Renewal, SignInSession, SignInState } from '../../helper/sign-in.ts'
import type { Host } from '../../runtime/host.ts'
import { describeMoment } from '../../runtime/values/duration.ts'
import { describeAccount } from '../oauth/oidc/describe-account.ts'
import { describeProvider, describePurpose } from '../oauth/oidc/describe-provider.ts'
import { openKey } from '../oauth/store/open-key.ts'
import { type KeptSignIn, readSealedSignIn } from '../oauth/store/read-sign-in.ts'
import { isRefused, toRefused } from '../oauth/store/stored-tokens.ts'
import { explainEnd } from './missing-refresh-token.ts'
import type { OidcTokenCallOptions } from './oidc-token-options.ts'
import type { OidcTokenPlan } from './plan-person-token.ts'

/**
 * Reads who is signed in from the encrypted file. Unlike a run, it changes nothing: a file that was encrypted under other options stays
 * unchanged, with its refresh token.
 * @throws {HelperError} `not-configured` for a file that cannot be read, or that others could have written; the failure of its key.
 */
export async function readSignInState(
  host: Host,
  options: OidcTokenCallOptions,
  call: NetworkCall,
  plan: OidcTokenPlan,
): Promise<SignInState> {
  const { settings } = plan
  const names = { subject: describeProvider(settings), purpose: describePurpose(settings) }
  const kept = await readKept(host, call, plan)
  if (!kept) return names
  if ('problem' in kept) return { ...names, ended: `${plan.files.sealed} ${kept.problem}: nobody counts as signed in` }
  const { since, subject, tokens, challenge, refused } = kept.signIn
  const what = `the ${bearerTokenNames[settings.bearerTokenType]}`
  const endsAt = tokens.expiresAt?.getTime()
  const account = describeAccount(tokens.idToken, subject)
  const now = host.clock.now()
  const isRenewed = tokens.refreshToken !== undefined && !challenge
  if (!isRenewed && endsAt !== undefined && endsAt <= now) {
    const whose = account === undefined ? '' : ` of ${account}`
    return { ...names, ended: `the sign-in${whose} to ${names.subject} ended at ${describeMoment(endsAt, now)}` }
  }
  if (!isRenewed && refused && isRefused(kept.signIn))
    return { ...names, ended: toRefused(refused, names.subject).message }
  const renewal = describeRenewal(kept, options, plan)
  const shortcoming = findShortcoming(kept, what, { options, plan })
  return { ...names, session: { account, since, what, endsAt, renewal, shortcoming } }
}

function readKept(host: Host, call: NetworkCall, { settings, files }: OidcTokenPlan) {
  const prompt = isPromptAllowed(call.context) ? 'allowed' : 'never'
  // A keychain that cannot be used is a failure, whatever the options say about the key.
  const sealed = {
    files,
    keyName: 'keychain',
    openKey: (name: KeptSignIn['keyName']) => openKey(name, settings, { host, files, prompt }),
  } as const
  return readSealedSignIn(sealed, call.deadline)
}

function describeRenewal({ signIn, keyName }: KeptSignIn, options: OidcTokenCallOptions, plan: OidcTokenPlan): Renewal {
  if (signIn.challenge)
    return { isSilent: false, how: 'by a person, because the provider wants a newer or stronger sign-in' }
  if (signIn.tokens.refreshToken) {
    const key = keyName === 'file' ? 'a file' : 'the keychain'
    return { isSilent: true, how: `without a person, by the refresh token that is kept, whose key is in ${key}` }
  }
  const { why, way } = explainEnd(plan.settings, options)
  return { isSilent: false, how: `by a person, because ${why}; ${way}` }
}

/** Finds a refresh token that was requested but not issued, which nobody would notice before the first token expires. */
function findShortcoming(
  { signIn }: KeptSignIn,
  what: string,
  { options, plan }: { readonly options: OidcTokenCallOptions; readonly plan: OidcTokenPlan },
): SignInSession['shortcoming'] {
  if (options['refresh-token-store'] === 'none' || signIn.tokens.refreshToken) return undefined
  const provider = describeProvider(plan.settings)
  return {
    what: `${provider} gave no refresh token, although one was asked for: when ${what} has ended, a person signs in again`,
    way: explainEnd(plan.settings, options).way,
  }
}
