import type { Observation } from '../helper/diagnosis.ts'
import { HelperError } from '../runtime/failure.ts'

/** What a look at something shows; its failure is one more observation. */
export async function observeAttempt(look: () => Promise<Observation[]>): Promise<Observation[]> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof HelperError) return [{ status: 'bad', text: error.message, hint: error.hint }]
    throw error
  }
}
