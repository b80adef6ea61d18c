import type { State } from './state.ts'

/** Returns the cached value of `key`, or the result of `derive`. An error of `derive` is thrown, and not cached. */
export type KeptValues<Value> = (key: string, derive: () => DerivedValue<Value>) => Value

/**
 * Caches values that are derived from the state, until the state changes, in whatever process, or the value expires. All values together
 * have at most the size `most`; a value of more than a quarter of it is not cached.
 */
export function createKeptValues<Value>(state: State, most: number): KeptValues<Value> {
  const kept = new Map<string, DerivedValue<Value>>()
  let [size, changes] = [0, 0]
  const clear = () => {
    kept.clear()
    size = 0
  }
  const keep = (key: string, derived: DerivedValue<Value>) => {
    const needed = derived.size + key.length
    if (needed > most / 4) return
    if (size + needed > most) clear()
    kept.set(key, derived)
    size += needed
  }
  return (key, derive) => {
    // Read before the value is derived, so that a change in between invalidates the value.
    const current = state.countChanges()
    if (current !== changes) clear()
    changes = current
    const found = kept.get(key)
    if (found && state.now() < found.until) return found.value
    const derived = derive()
    keep(key, derived)
    return derived.value
  }
}

/** A value that is derived from the state. */
interface DerivedValue<Value> {
  readonly value: Value
  /** When it expires, in epoch milliseconds; `Infinity` if only a change of the state ends it. */
  readonly until: number
  /** In bytes, roughly. */
  readonly size: number
}
