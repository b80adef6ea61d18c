import type { State } from './state.ts'

/** Returns the value of `key`: the kept one, or else the result of `derive`. An error of `derive` is thrown, and not kept. */
export type KeptValues<Value> = (key: string, derive: () => DerivedValue<Value>) => Value

/**
 * Keeps values that follow from the state until anything in the state changes, by whatever process, or the value ends. All
 * together are kept up to the size `most`; a value of more than a quarter of it is not kept.
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
    // Counted before the value is derived: a change in between then makes it be derived again.
    const now = state.countChanges()
    if (now !== changes) clear()
    changes = now
    const found = kept.get(key)
    if (found && state.now() < found.until) return found.value
    const derived = derive()
    keep(key, derived)
    return derived.value
  }
}

/** A value that follows from the state. */
interface DerivedValue<Value> {
  readonly value: Value
  /** Until when it holds, in epoch milliseconds, if the state does not change; `Infinity` for as long as that. */
  readonly until: number
  /** In bytes, roughly. */
  readonly size: number
}
