import type { Deadline } from '../../../runtime/deadline.ts'
import type { SignInStore, StoreChange, StoredSignIn } from './sign-in-store.ts'

/** Creates a store for one sign-in that ends with this process. */
export function createMemoryStore(): SignInStore {
  let current: StoredSignIn | undefined
  let turn: Promise<unknown> = Promise.resolve()

  async function applyChange({ make }: StoreChange): Promise<StoredSignIn | undefined> {
    const next = await make(current, async (signIn) => {
      current = signIn
    })
    if (next !== undefined) current = next === 'forget' ? undefined : next
    return current
  }

  return {
    read: async () => current,
    prepare: async () => {},
    change: (deadline: Deadline, change: StoreChange) =>
      deadline.during('lock', 'another change of the sign-in', () => {
        // A caller whose deadline has passed no longer waits.
        const result = turn.then(() => (deadline.isOver() ? current : applyChange(change)))
        // Each caller gets the error of its own change, and the next change is still made.
        turn = result.catch(() => undefined)
        return result
      }),
  }
}
