import { toHelperError } from '../../runtime/failure.ts'
import type { IssuerState, KeyLookup } from './key-finder.ts'
import { type KeyHeader, type KeySelection, type KeySet, selectKey } from './key-set.ts'

/** Bounds on requests to an issuer, and on how long its keys are used. Our decisions. */
export const keyBounds = {
  /** From this age on, keys are renewed in the background while they are used. */
  renewMs: 5 * 60_000,
  /** Older keys are renewed before they are used, if nobody has tried since: an idle verifier learns that a key is revoked. */
  oldMs: 10 * 60_000,
  /** After this, the keys of an issuer that cannot be reached are used no longer. */
  keptMs: 24 * 60 * 60_000,
  /** The shortest time between two requests for the sake of keys that are not known, however many tokens name them. */
  unknownMs: 10_000,
  /** After a failure the issuer is not asked for this time, and the failure is the answer meanwhile. */
  failureMs: 10_000,
  /** The limit for the discovery document and the keys together. */
  answerMs: 5_000,
  /** The size of each answer. */
  bytes: 512 * 1024,
  /** How many tokens may wait for the keys of one issuer; for further ones the keys are unavailable. */
  waiting: 250,
} as const

/** The keys of one issuer, as tokens ask for them. */
export interface KeyRing {
  find(header: KeyHeader): KeyLookup | Promise<KeyLookup>
  renew(): Promise<void>
  prepare(): Promise<void>
  state(): IssuerState
}

/**
 * Keeps the keys of one issuer: renewed in the background while they are good, and at a bounded rate for keys that are not known,
 * whatever tokens name.
 */
export function createKeyRing(parts: KeyLoaderParts): KeyRing {
  const keys = createKeyLoader(parts)
  const wait = createBoundedWait()
  let askedAt: number | undefined // because of a key that is not known

  const hasJustFailed = () => keys.sinceFailed() < keyBounds.failureMs

  /** A caller waits only for keys that are old because nobody has asked for them, not for those of an issuer that fails. */
  const renewIfDue = async () => {
    if (keys.age() <= keyBounds.renewMs || hasJustFailed()) return 'awaited'
    const request = keys.load()
    const isIdle = keys.age() > keyBounds.oldMs && keys.sinceFailed() > keyBounds.oldMs
    return isIdle ? wait(request) : 'awaited'
  }
  const renew = async () => {
    const mayAsk = !hasJustFailed() && computeElapsedMs(askedAt, parts.now()) >= keyBounds.unknownMs
    if (mayAsk && !keys.running()) {
      askedAt = parts.now()
      keys.load()
    }
    return wait(keys.running())
  }
  const look = async (header: KeyHeader): Promise<KeyLookup> => {
    if ((await renewIfDue()) === 'not awaited') return crowded
    const isMissing = selectUsable(keys, header).outcome === 'none'
    if (isMissing && (await renew()) === 'not awaited') return crowded
    const selection = selectUsable(keys, header)
    return selection.outcome === 'found' ? selection : describeMissingKey(selection, header, keys.state())
  }
  return {
    state: keys.state,
    async renew() {
      await renew()
    },
    find(header) {
      const known = keys.age() <= keyBounds.renewMs ? selectUsable(keys, header) : undefined
      return known?.outcome === 'found' ? known : look(header)
    },
    async prepare() {
      if (!keys.usable() && !hasJustFailed()) await keys.load()
    },
  }
}

const crowded: KeyLookup = { outcome: 'unavailable', says: 'too many tokens wait for the keys of the issuer' }

/** Waits for a request, unless there is none or too many wait already. */
function createBoundedWait(): (request: Promise<void> | undefined) => Promise<'awaited' | 'not awaited'> {
  let waiting = 0
  return async (request) => {
    if (!request) return 'awaited'
    if (waiting >= keyBounds.waiting) return 'not awaited'
    waiting += 1
    await request
    waiting -= 1
    return 'awaited'
  }
}

function selectUsable(keys: Pick<KeyLoader, 'usable'>, header: KeyHeader): KeySelection {
  const set = keys.usable()
  return set ? selectKey(set, header) : { outcome: 'none' }
}

/** The lookup for a missing key: only an issuer that answers can say that it has no such key. */
function describeMissingKey(
  selection: Exclude<KeySelection, { outcome: 'found' }>,
  { kid, alg }: KeyHeader,
  { standing, failure }: Pick<IssuerState, 'standing' | 'failure'>,
): KeyLookup {
  if (selection.outcome === 'several')
    return {
      outcome: 'unknown',
      says: `the issuer has ${selection.count} keys for ${alg} ${kid === undefined ? 'and the token does not say which (kid)' : 'of this kid'}`,
    }
  if (failure || standing === 'none')
    return { outcome: 'unavailable', says: failure?.says ?? 'the issuer has given no keys yet' }
  return { outcome: 'unknown', says: `the issuer has no key for ${alg}${kid === undefined ? '' : ' of this kid'}` }
}

/** The parts of {@link createKeyLoader}. */
interface KeyLoaderParts {
  readonly issuer: string
  /** @throws {HelperError} if the issuer gives no good answer. */
  readonly load: () => Promise<KeySet>
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** The keys of one issuer, and the pending request for them. */
interface KeyLoader {
  /** Asks the issuer, once for any number of calls at a time. Never throws: a failure is part of the state. */
  load(): Promise<void>
  /** The pending request; `undefined` if none is under way. */
  running(): Promise<void> | undefined
  /** `undefined` if the issuer never gave any keys, or has been away for too long. */
  usable(): KeySet | undefined
  /** The age of the keys in milliseconds; infinite without keys. */
  age(): number
  /** Milliseconds since the last request failed; infinite if it did not fail. */
  sinceFailed(): number
  state(): IssuerState
}

/** Creates a loader that keeps good keys until another good answer, or for as long as {@link keyBounds} says. */
function createKeyLoader({ issuer, load, now }: KeyLoaderParts): KeyLoader {
  let loaded: { readonly set: KeySet; readonly at: number } | undefined
  let failure: IssuerState['failure']
  let running: Promise<void> | undefined
  let fetches = 0

  const since = (at: number | undefined) => computeElapsedMs(at, now())
  const usable = () => (since(loaded?.at) <= keyBounds.keptMs ? loaded?.set : undefined)
  const request = async () => {
    fetches += 1
    try {
      loaded = { set: await load(), at: now() }
      failure = undefined
    } catch (thrown) {
      failure = { at: now(), says: toHelperError(thrown).message }
    }
    running = undefined
  }
  return {
    usable,
    load: () => (running ??= request()),
    running: () => running,
    age: () => since(loaded?.at),
    sinceFailed: () => since(failure?.at),
    state: () => ({
      issuer,
      standing: usable() ? (failure ? 'kept' : 'fresh') : 'none',
      keys: usable()?.keys.length ?? 0,
      unused: loaded?.set.unused ?? [],
      fetchedAt: loaded?.at,
      failure,
      fetches,
    }),
  }
}

/** Infinite if it never happened, or lies in the future because the clock was set back. */
function computeElapsedMs(at: number | undefined, now: number): number {
  return at === undefined || at > now ? Infinity : now - at
}
