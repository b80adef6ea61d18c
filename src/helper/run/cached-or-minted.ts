// Serves one token of an answer, from the cache or a new one; `serve-both.ts` serves two.

import { isPromptAllowed } from '../../contract/context.ts'
import { isTooSoon } from '../../contract/freshness.ts'
import { locateCacheDirectory } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import type { KeychainHost } from '../../sources/keychain/keychain.ts'
import { type EntryLocation, nameCacheStep, toCacheFilePath } from '../cache/cache-files.ts'
import type { RunPurpose } from '../cache/read-refusal.ts'
import {
  type CachedCall,
  createCachedCall,
  createStore,
  type EntryFiles,
  fromEntry,
  type ServedToken,
  type TokenRequest,
} from '../cache/store.ts'
import type { Call } from '../define-helper.ts'
import { type Asking, type PlannedRequest, type PreparedRun, planRequest } from './plan-request.ts'

/** A run's token, and the plan that led to it. */
export interface ServedRun extends PlannedRequest {
  readonly served: ServedToken
}

/** The token or the two tokens of one answer. */
export interface ServedPair extends ServedRun {
  /** The values for header templates, by name. The second token and its facts have a prefix. */
  readonly facts: Readonly<Record<string, string>>
  /** `undefined` if the answer holds one token. */
  readonly second: ServedSecond | undefined
}

/** The second token of an answer, and the run that got it. */
export interface ServedSecond extends ServedRun {
  readonly run: PreparedRun
  /** The first token with its own expiry. The answer ends with the earlier expiry of both. */
  readonly first: ServedToken
}

/** Serves the token of an answer with one token. If a person has to sign in first and may be asked, it waits for that sign-in. */
export async function serveOne(run: PreparedRun, planned: PlannedRequest, asking: Asking): Promise<ServedPair> {
  const single = await serveAfterAttempt(run, await attemptSilently(run, planned), asking)
  return { ...single, facts: single.served.facts, second: undefined }
}

/** The result of an attempt that asked nobody: the token, or the failure. */
export type SilentAttempt = ServedRun | (PlannedRequest & { readonly failure: unknown })

/** Tries to serve a token without asking anybody. It never throws; the result holds the failure. */
export async function attemptSilently(
  { host, call }: Pick<PreparedRun, 'host' | 'call'>,
  planned: PlannedRequest,
): Promise<SilentAttempt> {
  try {
    return { ...planned, served: await serveToken(host, call, planned.request) }
  } catch (failure) {
    return { ...planned, failure }
  }
}

/**
 * Serves the token of an attempt, or after a sign-in if the attempt failed because one is missing.
 * @throws the failure, if a sign-in does not help or nobody may be asked.
 */
export async function serveAfterAttempt(run: PreparedRun, attempt: SilentAttempt, asking?: Asking): Promise<ServedRun> {
  if ('served' in attempt) return attempt
  const { helper, host, options, call } = run
  const { signIn } = helper
  if (!signIn) throw attempt.failure
  const { serveAfterSignIn } = await import('../mint/serve-after-sign-in.ts')
  let planned: PlannedRequest = attempt
  const served = await serveAfterSignIn(attempt.failure, {
    host,
    call,
    // `--explain` shows what would happen, and so starts no sign-in.
    mayAsk: isPromptAllowed(call.context) && !options.explain,
    findSignIn: () => signIn(host, options, call, planned.plan),
    findState: async () => helper.whoami?.(host, options, call, planned.plan),
    serveAgain: async (later) => {
      planned = await planRequest(run, asking)
      return serveToken(later.host, later.call, planned.request)
    },
  })
  return { plan: planned.plan, request: planned.request, served }
}

/**
 * Serves the token of a planned request: the cached one if it is fresh, otherwise a new one, which one process at a time mints and stores.
 */
export async function serveToken(
  host: Pick<Host, 'argv' | 'env' | 'home' | 'platform' | 'clock'>,
  given: Call,
  request: TokenRequest,
): Promise<ServedToken> {
  const { program, key } = request
  const location = { directory: locateCacheDirectory(host), program, key }
  const { refresh, ...doubts } = await applyRefusal(host, given, { request, location })
  const call = { ...given, refresh }
  const store = createStore(location, call.warn, chooseFiles(host, call, request))
  // The token is not stored, but the store still records a used assertion (RFC 7523, section 3, jti).
  if (request.cache === 'none')
    return (await import('../mint/mint-under-lock.ts')).mintToken(host, call, { request, store })
  tellFutureStart(host, call, request)
  const cached = createCachedCall(host, call, request, store, doubts)
  const kept = await findKept(cached)
  if (kept) return kept
  // Loaded on use, because a call that is served from the cache does not mint.
  const { mintUnderLock } = await import('../mint/mint-under-lock.ts')
  return mintUnderLock(cached)
}

/**
 * Determines whether the gateway has refused the client's token. A helper with a store of its own records the refusal at once, so that it
 * does not give the same token again. For `--explain` nothing is removed, because a person has refused nothing.
 */
async function applyRefusal(
  host: Pick<Host, 'clock' | 'env'>,
  call: Call,
  { request, location }: { readonly request: TokenRequest; readonly location: EntryLocation },
): Promise<RunPurpose> {
  if (call.context !== 'mid-session-refresh' && request.suspicion === undefined) return {}
  const { readRefusal, removeRefused } = await import('../cache/read-refusal.ts')
  const { refresh, isRefused, isSuspected } = await readRefusal(location, host, call, request)
  if (refresh) request.noteRefresh(refresh)
  if (isSuspected && !request.isExplained)
    return (await hasFailedRecently(host, location, request)) ? {} : { isSuspected }
  if (!isRefused || request.isExplained) return { ...(refresh && { refresh }) }
  if (refresh && request.noteRefusal) {
    await removeRefused(location, isRefused, host)
    await request.noteRefusal(refresh)
  }
  return { ...(refresh && { refresh }), isRefused }
}

/** Returns whether a mint has failed a short time ago. The source is not asked again on a mere suspicion. */
async function hasFailedRecently(
  { clock }: Pick<Host, 'clock'>,
  location: EntryLocation,
  { suspicion }: TokenRequest,
): Promise<boolean> {
  const { readNote } = await import('../mint/mint-lock.ts')
  const holder = await readNote(toCacheFilePath(location, 'note'))
  return holder?.failed !== undefined && isTooSoon(holder.since, clock.now(), suspicion?.keptForMs ?? 0)
}

/** Chooses the form of entries on disk; `undefined` if they are in the clear. */
function chooseFiles(host: KeychainHost, call: Call, { cache }: TokenRequest): (() => Promise<EntryFiles>) | undefined {
  if (cache !== 'keychain') return undefined
  return async () => {
    const { createSealedFiles, openCacheKey } = await import('../cache/sealed-files.ts')
    return createSealedFiles(await openCacheKey(host, call), call, isPromptAllowed(call.context) ? 'on-use' : 'early')
  }
}

/**
 * Warns of a `not-before` in the future, which is a mistake or due to a wrong clock. The option is still obeyed, because ignoring it could
 * serve a token that must not be served.
 */
function tellFutureStart({ clock }: Pick<Host, 'clock'>, { warn }: Call, { notBefore = 0 }: TokenRequest): void {
  if (notBefore <= clock.now()) return
  const date = new Date(notBefore).toISOString()
  warn(`not-before lies in the future (${date}): until then every call gets a new token; correct it, or the clock`)
}

/** Finds the cached token, or renews it first if it is due for an early renewal. */
async function findKept(cached: CachedCall): Promise<ServedToken | undefined> {
  const { call, store, findFresh, findDue } = cached
  const reading = nameCacheStep('reading', store.location)
  const fresh = await call.deadline.during('cache', reading, findFresh)
  if (fresh) return fromEntry(fresh, 'cache')
  if (!findDue()) return undefined
  const { renewEarly } = await import('../mint/renew-early.ts')
  const renewed = await renewEarly(cached)
  if (renewed) return renewed
  const due = findDue() // the token may have expired during the attempt
  return due && fromEntry(due, 'cache')
}
