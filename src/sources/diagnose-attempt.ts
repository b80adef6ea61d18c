import type { DiagnosisLine } from '../helper/diagnosis.ts'
import { HelperError } from '../runtime/failure.ts'

/** Returns what a look at something shows. Its failure becomes an observation too. */
export async function observeAttempt(look: () => Promise<DiagnosisLine[]>): Promise<DiagnosisLine[]> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof HelperError) return [{ status: 'bad', text: error.message, hint: error.hint }]
    throw error
  }
}
