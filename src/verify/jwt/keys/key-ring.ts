import type { KeyHeader } from '../key-set/key-set.ts'
import { type KeySelection, selectKey } from '../key-set/select-key.ts'
import { describeMissingKey } from './describe-missing-key.ts'
import { keyBounds } from './key-bounds.ts'
import type { IssuerState, KeyLookup } from './key-finder.ts'
import { computeElapsedMs, createKeyLoader, type KeyLoaderParts } from './key-loader.ts'

/** The keys of one issuer, as tokens ask for them. */
export interface KeyRing {
  find(header: KeyHeader): Promise<KeyLookup>
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
  let askedAt: number | undefined // for the sake of keys that are not known

  const hasJustFailed = () => keys.sinceFailed() < keyBounds.failureMs

  /** Only keys that are old because nobody has asked for them are waited for: not those of an issuer that fails. */
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
  const select = (header: KeyHeader): KeySelection => {
    const set = keys.usable()
    return set ? selectKey(set, header) : { outcome: 'none' }
  }
  return {
    state: keys.state,
    async renew() {
      await renew()
    },
    async find(header) {
      if ((await renewIfDue()) === 'not awaited') return crowded
      if (select(header).outcome === 'none' && (await renew()) === 'not awaited') return crowded
      const selection = select(header)
      return selection.outcome === 'found' ? selection : describeMissingKey(selection, header, keys.state())
    },
    async prepare() {
      if (!keys.usable() && !hasJustFailed()) await keys.load()
    },
  }
}

const crowded: KeyLookup = { outcome: 'unavailable', says: 'too many tokens wait for the keys of the issuer' }

/** Waits for a request, if there is one; where too many wait already, not at all. */
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
