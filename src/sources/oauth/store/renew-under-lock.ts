import type { NetworkCall } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { InvalidGrantError } from '../oidc/invalid-grant.ts'
import type { OidcProvider } from '../oidc/provider.ts'
import type { IssuedTokens } from '../oidc/tokens.ts'
import { describeRest, hasRest, isRestUsable, toEnded, toNobody } from './rest.ts'
import type { SignInStore, StoredSignIn } from './sign-in-store.ts'

/** A renewal that seems to be due. */
export interface DueRenewal {
  readonly host: Pick<Host, 'clock'>
  readonly call: NetworkCall
  /** The provider, as messages name it. */
  readonly subject: string
  isEnough(signIn: StoredSignIn): boolean
  open(): Promise<OidcProvider>
}

/** What came of it. */
type Outcome =
  | { readonly state: 'nobody' }
  /** `renewed`: now; `found`: by another process; `ended`: nothing renews it. */
  | { readonly state: 'renewed' | 'found' | 'ended'; readonly signIn: StoredSignIn }
  /** The provider does not renew it any more. */
  | { readonly state: 'refused'; readonly signIn: StoredSignIn; readonly refusal: HelperError }

/**
 * Renews what a store holds, while no other process does, and unless that is no longer due.
 * @throws {HelperError} See `renewSignIn`. After a failure that may pass the store holds what it did.
 */
export async function renewUnderLock(store: SignInStore, due: DueRenewal): Promise<StoredSignIn> {
  let outcome: Outcome | undefined
  const make = async (current: StoredSignIn | undefined) => {
    outcome = await attemptRenewal(current, store, due)
    return toChange(outcome, due)
  }
  const { deadline } = due.call
  const kept = await store.change(deadline, { make, isEnough: due.isEnough }).catch((error: unknown) => {
    if (outcome?.state !== 'renewed' || !(error instanceof HelperError)) throw error
    due.call.warn(`${error.message}; what was renewed is used now, and may have to be replaced by a new sign-in`)
    return undefined
  })
  // Without an outcome another process came first.
  return requireSignIn(outcome ?? (kept ? { state: 'found', signIn: kept } : { state: 'nobody' }), due)
}

async function attemptRenewal(
  current: StoredSignIn | undefined,
  store: SignInStore,
  due: DueRenewal,
): Promise<Outcome> {
  const first = await exchange(current, due)
  if (first.state !== 'refused') return first
  // A refusal tells about the refresh token that was sent, and not about the person: on a file system without locks, another
  // process may have used it meanwhile, and stored the next one.
  const found = await store.read(due.call.deadline)
  return isSameToken(found, first.signIn) ? first : exchange(found, due)
}

/** Sends the refresh token of a sign-in, once. */
async function exchange(signIn: StoredSignIn | undefined, due: DueRenewal): Promise<Outcome> {
  if (!signIn) return { state: 'nobody' }
  if (due.isEnough(signIn)) return { state: 'found', signIn }
  const { tokens } = signIn
  if (!tokens.refreshToken) return { state: 'ended', signIn }
  try {
    const issued = await redeem(tokens.refreshToken, tokens, await due.open())
    // A provider that does not rotate it issues none (RFC 6749, section 6).
    const renewed = { ...issued, refreshToken: issued.refreshToken ?? tokens.refreshToken }
    return { state: 'renewed', signIn: { ...signIn, renewedAt: due.host.clock.now(), tokens: renewed } }
  } catch (error) {
    if (isEnd(error)) return { state: 'refused', signIn, refusal: error }
    throw error
  }
}

/**
 * Sends a refresh token, and where no answer comes, once more at once: what was sent may have been used, and providers that let a
 * client use it again do so for some seconds. The next run would send it again in any case.
 */
async function redeem(refreshToken: Secret, previous: IssuedTokens, provider: OidcProvider): Promise<IssuedTokens> {
  try {
    return await provider.refresh(refreshToken, previous)
  } catch (error) {
    if (!(error instanceof HelperError) || error.kind !== 'unavailable') throw error
    return provider.refresh(refreshToken, previous)
  }
}

/** A provider may also take the refresh token and leave out what the gateway is to get, which only a person can change. */
function isEnd(error: unknown): error is HelperError {
  return error instanceof InvalidGrantError || (error instanceof HelperError && error.kind === 'sign-in-required')
}

function isSameToken(one: StoredSignIn | undefined, other: StoredSignIn): boolean {
  return one?.tokens.refreshToken?.reveal() === other.tokens.refreshToken?.reveal()
}

/**
 * What the store has to hold then. A refresh token that was refused is never sent again. Who had signed in stays known while what
 * their tokens were exchanged for is still served.
 */
function toChange(outcome: Outcome, { host, call }: DueRenewal): StoredSignIn | 'forget' | undefined {
  if (outcome.state === 'renewed') return outcome.signIn
  if (outcome.state !== 'refused') return undefined
  const { refreshToken: _, ...tokens } = outcome.signIn.tokens
  const isUsed = hasRest(outcome.signIn, host.clock.now()) || call.renews !== undefined
  return isUsed ? { ...outcome.signIn, tokens } : 'forget'
}

function requireSignIn(outcome: Outcome, { host, call, subject }: DueRenewal): StoredSignIn {
  if (outcome.state === 'nobody') throw toNobody(subject)
  const { state, signIn } = outcome
  const now = host.clock.now()
  const isUsable = isRestUsable(signIn, now, call)
  if (state === 'ended' && !isUsable) throw toEnded(signIn, subject, now)
  if (outcome.state !== 'refused') return signIn
  const { message, hint } = outcome.refusal
  if (!isUsable) throw new HelperError('sign-in-required', message, hint, { cause: outcome.refusal })
  call.warn(`${message}; ${describeRest(signIn)}`)
  return signIn
}
