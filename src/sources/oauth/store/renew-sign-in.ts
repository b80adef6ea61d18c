// Gives a run a sign-in with sufficient tokens, by a renewal if one is due, which `renew-under-lock.ts` makes.

import type { NetworkCall } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { DetachingHost } from '../../../runtime/program/start-orphan.ts'
import { fetchForRenewal } from '../fetch-for-sign-in.ts'
import { describeProvider } from '../oidc/describe-provider.ts'
import type { OidcSettings } from '../oidc/oidc-settings.ts'
import { openProvider } from '../oidc/protocol/open-provider.ts'
import type { OidcProvider } from '../oidc/provider.ts'
import { ChallengeError } from '../oidc/renewal-errors.ts'
import { runRenewal } from '../progress/run-renewal.ts'
import { type AwaitedRenewal, reserveSec, waitForRenewal } from '../progress/wait-for-renewal.ts'
import { nameSignIn } from './name-sign-in.ts'
import { type RenewalOutcome, renewUnderLock } from './renew-under-lock.ts'
import type { SignInStore, StoredSignIn } from './sign-in-store.ts'
import { describeStored, isCredible, mayUseStored, toEnded, toIssueTime, toNotSignedIn } from './stored-tokens.ts'

/** The parts of a run that a renewal uses. */
export interface RenewalParts {
  readonly host: Pick<Host, 'clock' | 'home'>
  readonly call: NetworkCall
  /**
   * Whether a sign-in's tokens suffice for this run without a renewal. Tokens that were issued since the run began always suffice, however
   * long they live.
   */
  isEnough(signIn: StoredSignIn): boolean
}

/**
 * Returns a sign-in whose tokens suffice for this run. If they do not, one process, which outlives this run, renews them first and stores
 * the new tokens before any run uses them. If they cannot be renewed at the moment, the remaining tokens are used, with a warning.
 * @throws {HelperError} `sign-in-required` if only a person can continue; `late`; otherwise as any request and any store does.
 */
export function renewSignIn(settings: OidcSettings, store: SignInStore, parts: RenewalParts): Promise<StoredSignIn> {
  const { host } = parts
  const open = (call: NetworkCall) => openProvider(settings, { host, call, fetch: fetchForRenewal })
  return renewAtProvider({ settings, open }, store, parts)
}

/** The provider that renews a sign-in, and how it is opened. */
interface RenewingProvider {
  readonly settings: OidcSettings
  open(call: NetworkCall): Promise<OidcProvider>
}

/** Does the work of {@link renewSignIn} with a provider that the caller opens. */
export async function renewAtProvider(
  provider: RenewingProvider,
  store: SignInStore,
  parts: RenewalParts,
): Promise<StoredSignIn> {
  const { host, call } = parts
  const { settings } = provider
  const isEnough = (signIn: StoredSignIn) => isCredible(signIn, host.clock.now()) && parts.isEnough(signIn)
  const stored = await store.read(call.deadline)
  if (!stored) throw toNotSignedIn(describeProvider(settings))
  if (isEnough(stored)) return stored
  const due: DueRun = { provider, store, parts: { ...parts, isEnough }, stored }
  try {
    return requireSignIn(await renew(due), due)
  } catch (error) {
    const isTransient = error instanceof HelperError && (error.kind === 'unavailable' || error.kind === 'late')
    // In `mid-session-refresh` these tokens may be the refused ones, and the provider may be reachable at the next turn.
    const isUsable = call.context !== 'mid-session-refresh' && mayUseStored(stored, host.clock.now(), call)
    if (!isTransient || !isUsable) throw error
    call.warn(`${error.message}; ${describeStored(stored)}`)
    return stored
  }
}

/** The parts of a process that renews for the waiting runs. */
interface HoldingParts {
  readonly host: Pick<Host, 'clock' | 'env' | 'home' | 'platform'>
  readonly call: NetworkCall
  /** The issue time of the tokens that are too old for the waiting runs, in milliseconds since the epoch. */
  readonly issued: number
  /** See `DueRenewal`. */
  readonly isPersonUsed: boolean
}

/** Renews a sign-in for the waiting runs, unless its tokens have been replaced since the runs read them. */
export async function renewForRuns(settings: OidcSettings, store: SignInStore, parts: HoldingParts): Promise<void> {
  const { host, call, issued, isPersonUsed } = parts
  await runRenewal(toRenewalId(settings), { host, call }, async () => {
    // See `SignInStore.prepare`: a used refresh token must not be lost because its successor cannot be stored.
    await store.prepare(call.deadline)
    const isEnough = (signIn: StoredSignIn) => toIssueTime(signIn) !== issued
    const open = () => openProvider(settings, { host, call, fetch: fetchForRenewal })
    const { bearerTokenType } = settings
    const due = { host, call, bearerTokenType, isPersonUsed, isEnough, open }
    const outcome = await renewUnderLock(store, due)
    // If the new tokens could not be stored, the note has no failure, and each waiting run tries by itself.
    if (outcome.state === 'refused') return toRequired(outcome.refusal)
    return outcome.state === 'failed' ? outcome.failure : undefined
  })
}

function toRenewalId(settings: OidcSettings): string {
  return JSON.stringify(['oidc', nameSignIn(settings)])
}

/** A renewal that is due for a run. */
interface DueRun {
  readonly provider: RenewingProvider
  readonly store: SignInStore
  readonly parts: RenewalParts
  /** The sign-in that the run found. */
  readonly stored: StoredSignIn
}

async function renew(due: DueRun): Promise<RenewalOutcome> {
  const { provider, store, parts, stored } = due
  const { host, isEnough } = parts
  const call = { ...parts.call, deadline: parts.call.deadline.leave(reserveSec) }
  const isEarly = call.renews !== undefined
  if (call.ownProgram && stored.tokens.refreshToken) {
    const result = await renewElsewhere(due, { call, ownProgram: call.ownProgram })
    if (result !== 'impossible') return result
    // A run that does not depend on the renewal does not do it itself, because the new tokens would be lost if it stopped waiting.
    if (isEarly)
      throw new HelperError('unavailable', 'no process can be started that renews the sign-in', 'try again later')
  }
  const { bearerTokenType } = provider.settings
  return renewUnderLock(store, {
    host,
    call,
    bearerTokenType,
    isEnough,
    isPersonUsed: isEarly,
    open: () => provider.open(call),
  })
}

/** Renews in a separate process, which continues after the end of this run. */
async function renewElsewhere(
  { provider: { settings }, store, parts: { host, isEnough }, stored }: DueRun,
  { call, ownProgram }: { readonly call: NetworkCall; readonly ownProgram: DetachingHost },
): Promise<RenewalOutcome | 'impossible'> {
  const provider = describeProvider(settings)
  const issued = toIssueTime(stored)
  const find: AwaitedRenewal<StoredSignIn>['find'] = async (last) => {
    const found = await store.read(call.deadline)
    if (!found) throw toNotSignedIn(provider)
    const isNew = toIssueTime(found) !== issued
    // If the renewal has lost the refresh token, `isEnough` would accept the old tokens.
    if (last === 'failed' && !isNew) return undefined
    return isEnough(found) || (last === 'made' && isNew) ? found : undefined
  }
  const renewal = { id: toRenewalId(settings), subject: `the sign-in to ${provider}`, issued, find }
  const result = await waitForRenewal(renewal, { host, ownProgram, deadline: call.deadline })
  if (result === 'impossible') return result
  if ('value' in result) return { state: 'found', signIn: result.value }
  const { failure } = result
  if (failure.kind !== 'sign-in-required') return { state: 'failed', failure }
  const { challenge } = (await store.read(call.deadline)) ?? {}
  const refusal = challenge ? new ChallengeError(failure, challenge) : failure
  return { state: 'refused', signIn: stored, refusal }
}

/** Returns the sign-in of an outcome, with a warning if it is an old one. @throws {HelperError} the failure of the outcome. */
function requireSignIn(
  outcome: RenewalOutcome,
  { provider: { settings }, parts: { host, call } }: DueRun,
): StoredSignIn {
  if (outcome.state === 'failed') throw outcome.failure
  if (outcome.state === 'nobody') throw toNotSignedIn(describeProvider(settings))
  const { state, signIn } = outcome
  const now = host.clock.now()
  const isChallenge = state === 'refused' && outcome.refusal instanceof ChallengeError
  const isUsable = !isChallenge && mayUseStored(signIn, now, call)
  if (state === 'ended' && !isUsable) throw toEnded(signIn, describeProvider(settings), { now, refresh: call.refresh })
  if (state === 'refused' && !isUsable) throw toRequired(outcome.refusal)
  if (state === 'refused') call.warn(`${outcome.refusal.message}; ${describeStored(signIn)}`)
  if (state === 'lost')
    call.warn(`${outcome.failure.message}; what was renewed is used now, and may have to be replaced by a new sign-in`)
  return signIn
}

function toRequired(refusal: HelperError): HelperError {
  return new HelperError('sign-in-required', refusal.message, refusal.hint, { cause: refusal })
}
