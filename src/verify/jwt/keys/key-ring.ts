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

  const renewIfDue = async () => {
    if (keys.age() <= keyBounds.renewMs || keys.running() || keys.hasJustFailed()) return
    const isIdle = keys.sinceTried() > keyBounds.oldMs
    const request = keys.load()
    if (isIdle) await wait(request)
  }
  const renew = async () => {
    const mayAsk = !keys.hasJustFailed() && computeElapsedMs(askedAt, parts.now()) >= keyBounds.unknownMs
    if (mayAsk && !keys.running()) {
      askedAt = parts.now()
      keys.load()
    }
    await wait(keys.running())
  }
  const select = (header: KeyHeader): KeySelection => {
    const set = keys.usable()
    return set ? selectKey(set, header) : { outcome: 'none' }
  }
  return {
    renew,
    state: keys.state,
    async find(header) {
      await renewIfDue()
      const known = select(header)
      if (known.outcome === 'none') await renew()
      const selection = known.outcome === 'none' ? select(header) : known
      return selection.outcome === 'found' ? selection : describeMissingKey(selection, header, keys.state())
    },
    async prepare() {
      if (!keys.usable() && !keys.hasJustFailed()) await keys.load()
    },
  }
}

/** Waits for a request; where too many wait already, not at all. */
function createBoundedWait(): (request: Promise<void> | undefined) => Promise<void> {
  let waiting = 0
  return async (request) => {
    if (!request || waiting >= keyBounds.waiting) return
    waiting += 1
    await request
    waiting -= 1
  }
}
