import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { SignOut } from '../../../helper/sign-in.ts'
import { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { locateCacheDirectory } from '../../../runtime/private/locate-cache.ts'
import type { SignInFlow } from '../flow.ts'
import { describeProvider } from '../oidc/describe-provider.ts'
import { openProvider } from '../oidc/protocol/open-provider.ts'
import type { OidcSettings } from '../oidc/settings.ts'
import type { IssuedTokens } from '../oidc/tokens.ts'
import { isHeld } from '../progress/locks.ts'
import { locateSignInFiles } from '../progress/sign-in-files.ts'
import type { SignInStore } from './sign-in-store.ts'

/** What a sign-out is given of the run that it is for. */
export interface SignOutParts {
  readonly host: Pick<Host, 'clock' | 'env' | 'home' | 'platform'>
  readonly call: NetworkCall
  /** The flow by which a person signs in, which may be under way. */
  readonly flow: Pick<SignInFlow, 'id'>
  /** A test puts another provider in its place. */
  readonly open?: typeof openProvider
}

/** In seconds: a provider that takes longer is not told. */
const longestTellingSec = 15

/**
 * Ends a sign-in: tells the provider (RFC 7009) while no other process renews it, and forgets it whatever the provider says. What
 * could not be done is a warning.
 * @throws {HelperError} where it cannot be forgotten.
 */
export async function signOut(settings: OidcSettings, store: SignInStore, parts: SignOutParts): Promise<SignOut> {
  const subject = describeProvider(settings)
  let wasSignedIn = false
  await store.change(parts.call.deadline, {
    make: async (current) => {
      wasSignedIn = current !== undefined
      if (current) await tellProvider(settings, current.tokens, parts)
      return 'forget'
    },
  })
  if (await isUnderWay(parts))
    parts.call.warn(`a sign-in to ${subject} is under way: whoever finishes it is signed in again`)
  return { subject, wasSignedIn }
}

/** The refresh token first: with it, most providers end what they have issued for it. */
async function tellProvider(settings: OidcSettings, tokens: IssuedTokens, parts: SignOutParts): Promise<void> {
  const { refreshToken, accessToken } = tokens
  if (!refreshToken && !accessToken) return // only an ID token, which nobody can revoke
  const { host, call } = parts
  const seconds = Math.min(call.deadline.limit.seconds, host.clock.elapsedMs() / 1000 + longestTellingSec)
  const deadline = new Deadline({ ...call.deadline.limit, seconds }, host.clock)
  const briefCall = { ...call, deadline }
  try {
    const provider = await (parts.open ?? openProvider)(settings, { host, call: briefCall })
    const told = refreshToken && (await provider.revoke(refreshToken, 'refresh_token'))
    const toldAccess = accessToken && (await provider.revoke(accessToken, 'access_token'))
    if ([told, toldAccess].includes('not offered'))
      call.warn(`${describeProvider(settings)} cannot be told that; ${remains}`)
  } catch (error) {
    if (!(error instanceof HelperError)) throw error
    call.warn(`${describeProvider(settings)} was not told: ${error.message}; ${remains}`)
  }
}

const remains = 'what it has issued is valid there until it expires'

/** Whether a process signs a person in at the moment. A place that cannot be looked at tells of none. */
async function isUnderWay({ flow, host }: SignOutParts): Promise<boolean> {
  const files = locateSignInFiles(locateCacheDirectory(host), flow.id)
  return isHeld(files.lock).catch(() => false)
}
