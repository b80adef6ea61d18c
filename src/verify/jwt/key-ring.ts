// Keeps and renews the keys of one issuer; `issuer-keys.ts` has one ring for each.

import { toHelperError } from '../../runtime/failure.ts'
import {
  type IssuerState,
  type KeyHeader,
  type KeyLookup,
  type KeySelection,
  type KeySet,
  selectKey,
} from './key-finder.ts'

/** The bounds of requests to an issuer, and how long its keys are used. Our decisions. */
export const keyBounds = {
  /** From this age on, keys are renewed in the background while they stay in use. */
  renewMs: 5 * 60_000,
  /** Older keys are renewed before they are used, unless a request has just failed: so an idle verifier learns that a key was withdrawn. */
  oldMs: 10 * 60_000,
  /** After this time, keys of an issuer that gives no answer are no longer used. */
  keptMs: 24 * 60 * 60_000,
  /** The shortest time between two requests because of unknown keys, however many tokens name them. */
  unknownMs: 10_000,
  /** After a failure, the issuer gets no request for this time; tokens are refused with that failure meanwhile. */
  failureMs: 10_000,
  /** The time limit of the discovery document and the keys together. */
  answerMs: 5_000,
  /** The longest answer. */
  bytes: 512 * 1024,
  /** How many tokens may wait for the keys of one issuer; for further tokens the keys are unavailable. */
  waiting: 250,
} as const

/** The keys of one issuer, as a {@link KeyFinder} uses them. */
export interface KeyRing {
  find(header: KeyHeader): KeyLookup | Promise<KeyLookup>
  renew(): Promise<void>
  prepare(): Promise<void>
  state(): IssuerState
}

/** Keeps the keys of one issuer. They are renewed in the background, and at a bounded rate if tokens name unknown keys. */
export function createKeyRing(parts: KeyLoaderParts): KeyRing {
  const keys = createKeyLoader(parts)
  const wait = createBoundedWait()
  let askedAt: number | undefined // the last request because of an unknown key

  const hasJustFailed = () => keys.sinceFailed() < keyBounds.failureMs

  /** A call waits only if the keys are old because no token has come for a while, not if the issuer fails. */
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
  const waitForKey = async (header: KeyHeader): Promise<KeyLookup> => {
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
      return known?.outcome === 'found' ? known : waitForKey(header)
    },
    async prepare() {
      if (!keys.usable() && !hasJustFailed()) await keys.load()
    },
  }
}

const crowded: KeyLookup = { outcome: 'unavailable', says: 'too many tokens wait for the keys of the issuer' }

/** Creates a loader that keeps keys until the next good answer, or for the time of {@link keyBounds}. */
function createKeyLoader({ issuer, load, now }: KeyLoaderParts): KeyLoader {
  let loaded: { readonly set: KeySet; readonly at: number } | undefined
  let failure: IssuerState['failure']
  let running: Promise<void> | undefined

  const since = (at: number | undefined) => computeElapsedMs(at, now())
  const usable = () => (since(loaded?.at) <= keyBounds.keptMs ? loaded?.set : undefined)
  const loadOnce = async () => {
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
    load: () => (running ??= loadOnce()),
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
    }),
  }
}

/** Waits for a request, unless there is no request or too many calls wait already. */
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

/** Describes why a key is missing: only an issuer that answers can lack a key. */
function describeMissingKey(
  selection: Exclude<KeySelection, { outcome: 'found' }>,
  { kid, alg }: KeyHeader,
  { standing, failure }: Pick<IssuerState, 'standing' | 'failure'>,
): Exclude<KeyLookup, { outcome: 'found' }> {
  if (selection.outcome === 'several')
    return {
      outcome: 'unknown',
      says: `the issuer has ${selection.count} keys for ${alg} ${kid === undefined ? 'and the token does not say which (kid)' : 'of this kid'}`,
    }
  if (failure || standing === 'none')
    return { outcome: 'unavailable', says: failure?.says ?? 'the issuer has given no keys yet' }
  return { outcome: 'unknown', says: `the issuer has no key for ${alg}${kid === undefined ? '' : ' of this kid'}` }
}

/** The parts that {@link createKeyLoader} needs. */
interface KeyLoaderParts {
  readonly issuer: string
  /** @throws {HelperError} if the issuer gives no good answer. */
  readonly load: () => Promise<KeySet>
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** The keys of one issuer, and the pending request for new ones. */
interface KeyLoader {
  /** Sends a request; concurrent calls share one. Never throws: a failure is part of the state. */
  load(): Promise<void>
  /** The pending request; `undefined` if none is under way. */
  running(): Promise<void> | undefined
  /** `undefined` if the issuer never gave any keys, or has given no answer for too long. */
  usable(): KeySet | undefined
  /** The age of the keys in milliseconds; infinite without keys. */
  age(): number
  /** Milliseconds since the last request failed; infinite if it did not fail. */
  sinceFailed(): number
  state(): IssuerState
}

/** Returns infinity if it never happened, or if it lies in the future because the clock was set back. */
function computeElapsedMs(at: number | undefined, now: number): number {
  return at === undefined || at > now ? Infinity : now - at
}
