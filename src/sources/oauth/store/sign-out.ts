import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { SignOut } from '../../../helper/sign-in.ts'
import { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { locateCacheDirectory } from '../../../runtime/files/private-files.ts'
import type { Host } from '../../../runtime/host.ts'
import { nextSessionHint, type SignInFlow } from '../flow.ts'
import { describeProvider } from '../oidc/describe-provider.ts'
import type { OidcSettings } from '../oidc/oidc-settings.ts'
import type { openProvider } from '../oidc/protocol/open-provider.ts'
import type { IssuedTokens } from '../oidc/provider.ts'
import { locateSignInFiles, readNote } from '../progress/note.ts'
import { stopSignIn } from '../progress/stop.ts'
import type { SignInStore } from './sign-in-store.ts'

/**
 * Ends a sign-in, and first one that is under way: revokes its tokens at the provider (RFC 7009) while no other process renews it, and
 * removes it whatever the provider answers. A failed revocation is a warning.
 * @throws {HelperError} if it cannot be removed.
 */
export async function signOut(settings: OidcSettings, store: SignInStore, parts: SignOutParts): Promise<SignOut> {
  const subject = describeProvider(settings)
  const wasUnderWay = await endUnderWay(subject, parts)
  let wasSignedIn = false
  await store.change(parts.call.deadline, {
    make: async (current) => {
      wasSignedIn = current !== undefined
      if (current) await tellProvider(settings, current.tokens, parts)
      return 'forget'
    },
  })
  return { subject, wasSignedIn, wasUnderWay }
}

/** The parts of a run that a sign-out uses. */
interface SignOutParts {
  readonly host: Pick<Host, 'clock' | 'env' | 'home' | 'platform'>
  readonly call: NetworkCall
  /** The flow of a sign-in, which may be under way. */
  readonly flow: Pick<SignInFlow, 'id'>
  readonly open: typeof openProvider
}

/**
 * Ends the process that is signing a person in, so that nobody is signed in again by finishing a page that is still open in a browser. If
 * its files cannot be read, there is no such process.
 * @returns whether there was one.
 */
async function endUnderWay(subject: string, { flow, host, call }: SignOutParts): Promise<boolean> {
  const files = locateSignInFiles(locateCacheDirectory(host), flow.id)
  let isFound = false
  const isMeant = () => {
    isFound = true
    return true
  }
  const failure = new HelperError(
    'sign-in-required',
    `the sign-in to ${subject} was ended by a sign-out`,
    nextSessionHint,
  )
  try {
    const lock = await stopSignIn(files, { failure }, isMeant)
    await lock?.release()
    if (lock) return isFound
  } catch {
    if (!isFound) return false
  }
  const pid = (await readNote(files))?.pid
  call.warn(`a sign-in to ${subject} is under way in the process ${pid}: whoever finishes it is signed in again`)
  return false
}

/** Revokes the tokens, the refresh token first, because most providers then also revoke the tokens that they have issued for it. */
async function tellProvider(settings: OidcSettings, tokens: IssuedTokens, parts: SignOutParts): Promise<void> {
  const { refreshToken, accessToken } = tokens
  if (!refreshToken && !accessToken) return // only an ID token, which cannot be revoked
  const { host, call } = parts
  const seconds = Math.min(call.deadline.limit.seconds, host.clock.elapsedMs() / 1000 + longestTellingSec)
  const deadline = new Deadline({ ...call.deadline.limit, seconds }, host.clock)
  const briefCall = { ...call, deadline }
  try {
    const provider = await parts.open(settings, { host, call: briefCall })
    const told = refreshToken && (await provider.revoke(refreshToken, 'refresh_token'))
    const toldAccess = accessToken && (await provider.revoke(accessToken, 'access_token'))
    if ([told, toldAccess].includes('not offered'))
      call.warn(`${describeProvider(settings)} cannot be told of the sign-out${describeUnknown(settings)}; ${remains}`)
  } catch (error) {
    if (!(error instanceof HelperError)) throw error
    call.warn(`${describeProvider(settings)} was not told of the sign-out: ${error.message}; ${remains}`)
  }
}

/** In seconds: the limit for the revocation. Our decision. */
const longestTellingSec = 15

/** Describes why the revocation endpoint is not known. With discovery, the provider's metadata would have it. */
function describeUnknown({ issuer }: OidcSettings): string {
  return issuer === undefined ? ', because revocation-url is not set' : ''
}

const remains = 'the tokens that it has issued stay valid until they expire'
