// Sends one renewal to the provider, while no other process does, and stores its result.

import type { NetworkCall } from '../../../helper/define-helper.ts'
import { digestToken } from '../../../runtime/digest.ts'
import { attemptUnlessFailed, HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { Secret } from '../../../runtime/secret.ts'
import type { OidcSettings } from '../oidc/oidc-settings.ts'
import type { IssuedTokens, OidcProvider } from '../oidc/provider.ts'
import {
  BusyProviderError,
  ChallengeError,
  FaultyRenewalError,
  InvalidGrantError,
  NoIdTokenError,
} from '../oidc/renewal-errors.ts'
import type { SignInStore, StoreChange, StoredSignIn } from './sign-in-store.ts'
import { findBearer, hasValidTokens } from './stored-tokens.ts'

/** A renewal that seems to be due. */
export interface DueRenewal {
  readonly host: Pick<Host, 'clock'>
  readonly call: Pick<NetworkCall, 'deadline'>
  /**
   * Whether the person's identity is kept after the sign-in has ended, because tokens that were exchanged for the person's are still
   * served.
   */
  readonly isPersonUsed: boolean
  /** See `OidcSettings`. */
  readonly bearerTokenType: OidcSettings['bearerTokenType']
  isEnough(signIn: StoredSignIn): boolean
  open(): Promise<OidcProvider>
}

/** The state of a sign-in after an attempt to renew it. */
export type RenewalOutcome =
  | { readonly state: 'nobody' }
  /** `renewed`: by this process; `found`: by another one; `ended`: it cannot be renewed. */
  | { readonly state: 'renewed' | 'found' | 'ended'; readonly signIn: StoredSignIn }
  /** The sign-in was renewed, but could not be stored. */
  | { readonly state: 'lost'; readonly signIn: StoredSignIn; readonly failure: HelperError }
  /** The provider does not renew the sign-in, now or at all. */
  | { readonly state: 'refused'; readonly signIn: StoredSignIn; readonly refusal: HelperError }
  /** The renewal failed, and may succeed next time. `signIn` is set if something about the sign-in has changed. */
  | { readonly state: 'failed'; readonly failure: HelperError; readonly signIn?: StoredSignIn }

/**
 * Renews the stored sign-in while no other process does, unless that is no longer due. After a transient failure, the store holds the
 * valid refresh token.
 * @throws {HelperError} what the store throws.
 */
export async function renewUnderLock(store: SignInStore, due: DueRenewal): Promise<RenewalOutcome> {
  let outcome: RenewalOutcome | undefined
  const make: StoreChange['make'] = async (current, keep) => {
    outcome = await attemptRenewal(current, store, { ...due, keep }).catch(toFailed)
    return toChange(outcome, due)
  }
  const { deadline } = due.call
  const kept = await store.change(deadline, { make, isEnough: due.isEnough }).catch((failure: unknown) => {
    if (outcome?.state !== 'renewed' || !(failure instanceof HelperError)) throw failure
    outcome = { ...outcome, state: 'lost', failure }
    return undefined
  })
  // Without an outcome, another process has renewed it first.
  return outcome ?? (kept ? { state: 'found', signIn: kept } : { state: 'nobody' })
}

function toFailed(failure: unknown): RenewalOutcome {
  if (failure instanceof HelperError) return { state: 'failed', failure }
  throw failure
}

/** A renewal under the lock of the store. */
interface HeldRenewal extends DueRenewal {
  readonly keep: Parameters<StoreChange['make']>[1]
}

async function attemptRenewal(
  current: StoredSignIn | undefined,
  store: SignInStore,
  held: HeldRenewal,
): Promise<RenewalOutcome> {
  const first = await exchange(current, held)
  if (first.state !== 'refused') return first
  // Read again, because a refusal concerns the refresh token that was sent, and not the person: on a file system without locks, another
  // process may have used it meanwhile and stored its successor.
  const found = await store.read(held.call.deadline)
  return isSameToken(found, first.signIn) ? first : exchange(found, held)
}

async function exchange(signIn: StoredSignIn | undefined, held: HeldRenewal): Promise<RenewalOutcome> {
  if (!signIn) return { state: 'nobody' }
  if (held.isEnough(signIn)) return { state: 'found', signIn }
  const { refreshToken } = signIn.tokens
  if (!refreshToken) return { state: 'ended', signIn }
  const redemption = createRedemption(signIn, refreshToken, held)
  try {
    const issued = await redemption.attempt(await held.open())
    const renewed = { ...issued, refreshToken: issued.refreshToken ?? redemption.current().tokens.refreshToken }
    const { challenge: _, ...kept } = signIn
    return { state: 'renewed', signIn: { ...kept, renewedAt: held.host.clock.now(), tokens: renewed } }
  } catch (error) {
    if (isRefusal(error)) return { state: 'refused', signIn: redemption.current(), refusal: error }
    if (error instanceof FaultyRenewalError)
      return { state: 'failed', failure: error, signIn: withFault(redemption.current(), held) }
    throw error
  }
}

/** Creates the redemption of a refresh token, which keeps its successors. */
function createRedemption(signIn: StoredSignIn, refreshToken: Secret, { call, keep }: HeldRenewal) {
  const { tokens: previous } = signIn
  let current = refreshToken
  let isAnswered = false
  const withCurrent = (): StoredSignIn => ({ ...signIn, tokens: { ...previous, refreshToken: current } })
  /** Stores the successor at once. If that fails, it is stored later with the whole answer. */
  const keepSuccessor = async (successor: Secret) => {
    isAnswered = true
    if (successor.reveal() === current.reveal()) return
    current = successor
    await attemptUnlessFailed(() => keep(withCurrent()))
  }
  const send = (provider: OidcProvider) => provider.refresh(current, previous, keepSuccessor)
  return {
    /** Returns the sign-in with the refresh token that is valid now. */
    current: withCurrent,
    /**
     * Sends the refresh token, and sends a second time if there is no answer, or an invalid one. Without an answer, the provider may have
     * used the token, and some providers accept it again for a short time. An invalid answer still contains the next refresh token. If a
     * provider names the time of the next request, nothing is sent before.
     */
    attempt: async (provider: OidcProvider): Promise<IssuedTokens> => {
      try {
        return await send(provider)
      } catch (error) {
        const isLost =
          error instanceof HelperError && error.kind === 'unavailable' && !(error instanceof BusyProviderError)
        if (!isLost && !(isAnswered && error instanceof HelperError)) throw error
      }
      if (isAnswered) await call.deadline.pause('network', 'a moment before the next request', faultyPauseMs)
      return send(provider)
    },
  }
}

/** Returns whether the provider does not renew the sign-in until a person has done something, or at all. */
function isRefusal(error: unknown): error is HelperError {
  return error instanceof InvalidGrantError || (error instanceof HelperError && error.kind === 'sign-in-required')
}

/** Marks the token as refused, because after a faulty renewal it is not known whether the previous token is still valid. */
function withFault(signIn: StoredSignIn, { host, bearerTokenType }: HeldRenewal): StoredSignIn {
  const token = findBearer(signIn, bearerTokenType)
  if (!token) return signIn
  return { ...signIn, refused: { digest: digestToken(token), at: host.clock.now(), heldSec: undefined } }
}

/** In milliseconds: the pause after a faulty answer, because a signing key may be published a moment later. Our decision. */
const faultyPauseMs = 1_000

function isSameToken(one: StoredSignIn | undefined, other: StoredSignIn): boolean {
  return one?.tokens.refreshToken?.reveal() === other.tokens.refreshToken?.reveal()
}

/**
 * Derives the sign-in to store after an outcome. A refresh token that has ended is never sent again, but it is kept if a person can make it
 * valid again, with a second factor or a consent. The person's identity is kept while tokens that were exchanged for the person's are
 * served.
 */
function toChange(outcome: RenewalOutcome, { host, isPersonUsed }: DueRenewal): StoredSignIn | 'forget' | undefined {
  if (outcome.state === 'renewed' || outcome.state === 'failed') return outcome.signIn
  if (outcome.state !== 'refused') return undefined
  const { refusal } = outcome
  if (refusal instanceof ChallengeError) return { ...outcome.signIn, challenge: refusal.challenge }
  if (!isEnd(refusal)) return undefined
  const { refreshToken: _, ...tokens } = outcome.signIn.tokens
  return hasValidTokens(outcome.signIn, host.clock.now()) || isPersonUsed ? { ...outcome.signIn, tokens } : 'forget'
}

/** Returns whether the refresh token is useless: it has ended, or the provider renews without the token for the gateway. */
function isEnd(refusal: HelperError): boolean {
  return refusal instanceof InvalidGrantError || refusal instanceof NoIdTokenError
}
