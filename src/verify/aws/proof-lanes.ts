import { type Identity, TokenRefusal } from '../verdict.ts'

/** The bounds of each lane of proofs that are sent to AWS STS or wait for it. Our decisions. */
const laneBounds = {
  /** How many proofs are sent at a time. */
  places: 100,
  /**
   * How long a proof that lets nobody pass occupies its place, counted from its start. A lane so sends at most `places` of these proofs in
   * this time. The bound does not apply to the lane of known access keys, because such a proof moves its key to another lane.
   */
  heldMs: 1_000,
  /**
   * One more waiting proof is refused as `overloaded`, and so is a proof that has waited longer. This wait and the limit for AWS STS
   * together bound a verification.
   */
  waiting: 1_000,
  waitedMs: 10_000,
  /** For this time after a refusal, proofs of the same access key use separate lanes. */
  refusedMs: 60_000,
  /** How many access keys are kept as passed, and how many as refused. */
  keys: 10_000,
} as const

const lanes = ['known', 'known, refused', 'new', 'new, refused'] as const

/** How many proofs all lanes hold. */
export const maxProofs = lanes.length * (laneBounds.places + laneBounds.waiting)

/** Calls `ask` when the lane of the access key has a free place. */
export type RunInLane = (accessKeyId: string, ask: () => Promise<Identity>) => Promise<Identity>

/**
 * Anybody can send invented proofs, under new access keys or those of others, and only AWS STS can tell which are good. So the verifier
 * does not slow down an access key because of the proofs that are sent under it. Instead there are four lanes: a proof's lane depends on
 * whether a proof of its access key has passed before, and whether one was refused lately. A flood in one lane does not delay the other
 * three. Within a lane, proofs wait in order, within the bounds.
 */
export function createProofLanes() {
  const passed = createRecentKeys()
  const refused = createRecentKeys()
  const run = Object.fromEntries(lanes.map((name) => [name, createLane(name === 'known' ? 0 : laneBounds.heldMs)]))

  const selectLane = (accessKeyId: string): (typeof lanes)[number] => {
    const at = refused.find(accessKeyId)
    const kind = passed.find(accessKeyId) === undefined ? 'new' : 'known'
    return at !== undefined && performance.now() - at < laneBounds.refusedMs ? `${kind}, refused` : kind
  }

  /** @param hasRule Whether a rule lets the identity pass: a caller with an AWS account but no rule gets no better lane. */
  return async (accessKeyId: string, ask: () => Promise<Identity>, hasRule: (found: Identity) => boolean) => {
    const askInLane = async (): Promise<LaneTurn<Identity>> => {
      try {
        const value = await ask()
        const isGood = hasRule(value)
        if (isGood) passed.add(accessKeyId, performance.now())
        else passed.delete(accessKeyId)
        return { value, isGood }
      } catch (thrown) {
        if (thrown instanceof TokenRefusal && thrown.reason === 'aws-refused')
          refused.add(accessKeyId, performance.now())
        throw thrown
      }
    }
    for (;;) {
      const lane = selectLane(accessKeyId)
      // The lane is selected again when its turn comes: meanwhile another proof of the access key may have been refused.
      const turn = await run[lane]!(async () => {
        if (selectLane(accessKeyId) === lane) return await askInLane()
        return { value: undefined, isGood: true }
      })
      if (turn) return turn
    }
  }
}

/** The result of a turn. A good proof frees its place at once. */
interface LaneTurn<T> {
  readonly value: T | undefined
  readonly isGood: boolean
}

/** Creates a record of the time of the last event of each access key; the key with the oldest event is forgotten first. */
function createRecentKeys() {
  const seenAt = new Map<string, number>()
  return {
    find: (key: string) => seenAt.get(key),
    delete: (key: string) => seenAt.delete(key),
    add(key: string, at: number) {
      seenAt.delete(key)
      seenAt.set(key, at)
      if (seenAt.size > laneBounds.keys) seenAt.delete(seenAt.keys().next().value!)
    },
  }
}

/** Runs as many pieces of work at a time as the bounds allow, in order of arrival. */
function createLane(longestHeldMs: number): <T>(work: () => Promise<LaneTurn<T>>) => Promise<T | undefined> {
  const waiting: { readonly since: number; start(): void; reject(): void }[] = []
  let taken = 0
  const takePlace = (): Promise<void> | undefined => {
    if (taken < laneBounds.places) {
      taken += 1
      return undefined
    }
    if (waiting.length >= laneBounds.waiting) throw new TokenRefusal('overloaded', { note: 'too many proofs wait' })
    return new Promise((start, reject) => {
      const giveUp = () => reject(new TokenRefusal('overloaded', { note: 'too many proofs were before it' }))
      waiting.push({ since: performance.now(), start, reject: giveUp })
    })
  }
  const freePlace = () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (performance.now() - next.since <= laneBounds.waitedMs) return next.start() // it takes over the place
      next.reject()
    }
    taken -= 1
  }
  return async (work) => {
    await takePlace()
    const startedAt = performance.now()
    let isGood = false
    try {
      const turn = await work()
      ;({ isGood } = turn)
      return turn.value
    } finally {
      const heldMs = isGood ? 0 : longestHeldMs - (performance.now() - startedAt)
      if (heldMs > 0) setTimeout(freePlace, heldMs).unref()
      else freePlace()
    }
  }
}
