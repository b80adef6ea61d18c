import { toHelperError } from '../../../runtime/failure.ts'
import type { KeySet } from '../key-set/key-set.ts'
import { keyBounds } from './key-bounds.ts'
import type { IssuerState } from './key-finder.ts'

/** What {@link createKeyLoader} is given. */
export interface KeyLoaderParts {
  readonly issuer: string
  /** @throws {HelperError} where the issuer gives no good answer. */
  readonly load: () => Promise<KeySet>
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** The keys of one issuer, and the request for them that is under way. */
export interface KeyLoader {
  /** Asks the issuer; of several calls at a time the first one does. Never throws: a failure is part of the state. */
  load(): Promise<void>
  /** The request that is under way. */
  running(): Promise<void> | undefined
  /** `undefined` where the issuer never gave any, or has been away for too long. */
  usable(): KeySet | undefined
  /** Of the keys, in milliseconds; infinite without any. */
  age(): number
  /** Since the last request failed, in milliseconds; infinite where it did not. */
  sinceFailed(): number
  state(): IssuerState
}

/** Creates a loader that keeps good keys until another good answer, or for as long as {@link keyBounds} says. */
export function createKeyLoader({ issuer, load, now }: KeyLoaderParts): KeyLoader {
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

/** Infinite for what never was, and for what lies in the future because the clock was set back. */
export function computeElapsedMs(at: number | undefined, now: number): number {
  return at === undefined || at > now ? Infinity : now - at
}
