import { TokenRefusal } from '../../src/verify/verdict.ts'

/** Returns the parts of the refusal in which work ends, and throws anything else again. */
export async function refusalOf(work: () => unknown) {
  try {
    await work()
  } catch (thrown) {
    if (!(thrown instanceof TokenRefusal)) throw thrown
    const { reason, detail, note } = thrown
    return { reason, detail, note }
  }
  throw new Error('it was not refused')
}
