import { isPromptAllowed } from '../../contract/context.ts'
import { isTooSoon } from '../../contract/freshness.ts'
import { locateCacheDirectory } from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import type { KeychainHost } from '../../sources/keychain/keychain.ts'
import { type EntryLocation, toCacheFilePath } from '../cache/cache-files.ts'
import type { RunPurpose } from '../cache/find-refusal.ts'
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

/** The token that a run was served, and the plan that it follows from. */
export interface ServedRun extends PlannedRequest {
  readonly served: ServedToken
}

/** Two tokens of one answer, or one. */
export interface ServedPair extends ServedRun {
  /** Values for header templates, by name; of the second token with their prefix, and with the token itself. */
  readonly facts: Readonly<Record<string, string>>
  /** `undefined` where the answer holds one token. */
  readonly second: ServedSecond | undefined
}

/** The second of two tokens, and the run that it was served to. */
export interface ServedSecond extends ServedRun {
  readonly run: PreparedRun
  /** The first token by itself: that of the answer ends with the earlier of both. */
  readonly first: ServedToken
}

/** Serves the one token of an answer. If a person has to sign in first and may be asked, it serves the token after that sign-in. */
export async function serveOne(run: PreparedRun, planned: PlannedRequest, asking: Asking): Promise<ServedPair> {
  const single = await serveAfterAttempt(run, await attemptSilently(run, planned), asking)
  return { ...single, facts: single.served.facts, second: undefined }
}

/** The result of a request before any person was asked. */
export type SilentAttempt = ServedRun | (PlannedRequest & { readonly failure: unknown })

/** Serves a token without asking anybody. It never throws: the result holds what failed. */
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
 * Serves the token after a sign-in, if an attempt failed because one is missing.
 * @throws the failure, where no sign-in helps or nobody may be asked.
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
    // An explanation is read by somebody who wants to know what would happen.
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

/** Serves the token of a planned request: from the cache if one is fresh, else newly minted, one process at a time, and stored. */
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
  // The token is not kept, but the store is used all the same: an exchanged assertion stays recorded there (RFC 7523, section 3, jti).
  if (request.cache === 'none')
    return (await import('../mint/mint-under-lock.ts')).mintToken(host, call, { request, store })
  tellFutureStart(host, call, request)
  const cached = createCachedCall(host, call, request, store, doubts)
  const kept = await findKept(cached)
  if (kept) return kept
  // Loaded on use, because a call that is served from the cache does not need it.
  const { mintUnderLock } = await import('../mint/mint-under-lock.ts')
  return mintUnderLock(cached)
}

/** Finds the token of the cache, or the one that takes its place because it was due for an early renewal. */
async function findKept(cached: CachedCall): Promise<ServedToken | undefined> {
  const { call, store, findFresh, findDue } = cached
  const reading = `reading the token cache in ${store.location.directory}`
  const fresh = await call.deadline.during('cache', reading, findFresh)
  if (fresh) return fromEntry(fresh, 'cache')
  if (!findDue()) return undefined
  const { renewEarly } = await import('../mint/renew-early.ts')
  const renewed = await renewEarly(cached)
  if (renewed) return renewed
  const due = findDue() // the attempt may have lasted until it ended
  return due && fromEntry(due, 'cache')
}

/**
 * Finds out whether the gateway has refused the token that the client holds. A helper that may have no other token is told at once,
 * so that nobody is served this one again. An explanation is for a person, who has refused nothing.
 */
async function applyRefusal(
  host: Pick<Host, 'clock' | 'env'>,
  call: Call,
  { request, location }: { readonly request: TokenRequest; readonly location: EntryLocation },
): Promise<RunPurpose> {
  if (call.context !== 'mid-session-refresh' && request.suspicion === undefined) return {}
  const { findRefusal, removeRefused } = await import('../cache/find-refusal.ts')
  const { refresh, isRefused, isSuspected } = await findRefusal(location, host, call, request)
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

/** Whether a mint has failed moments ago: on a mere suspicion, its source is not asked again and again. */
async function hasFailedRecently(
  { clock }: Pick<Host, 'clock'>,
  location: EntryLocation,
  { suspicion }: TokenRequest,
): Promise<boolean> {
  const { readNote } = await import('../mint/mint-lock.ts')
  const holder = await readNote(toCacheFilePath(location, 'note'))
  return holder?.failed !== undefined && isTooSoon(holder.since, clock.now(), suspicion?.keptForMs ?? 0)
}

/** How entries are kept; `undefined` where they stand as they are. */
function chooseFiles(host: KeychainHost, call: Call, { cache }: TokenRequest): (() => Promise<EntryFiles>) | undefined {
  if (cache !== 'keychain') return undefined
  return async () => {
    const { createSealedFiles, openCacheKey } = await import('../cache/sealed-files.ts')
    return createSealedFiles(await openCacheKey(host, call), call, isPromptAllowed(call.context) ? 'on-use' : 'early')
  }
}

/** A `not-before` in the future is a mistake, or this machine's clock is wrong; ignoring it could serve a token that must not be. */
function tellFutureStart({ clock }: Pick<Host, 'clock'>, { warn }: Call, { notBefore = 0 }: TokenRequest): void {
  if (notBefore <= clock.now()) return
  const date = new Date(notBefore).toISOString()
  warn(`not-before lies in the future (${date}): until then every call gets a new token; correct it, or the clock`)
}
