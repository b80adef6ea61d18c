import type { DiagnosisLine } from '../helper/diagnosis.ts'
import { HelperError } from '../runtime/failure.ts'

/** Makes an observation for a diagnosis. If it fails, the failure becomes a line of the diagnosis instead of ending it. */
export async function observeAttempt(look: () => Promise<DiagnosisLine[]>): Promise<DiagnosisLine[]> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof HelperError) return [{ status: 'bad', text: error.message, hint: error.hint }]
    throw error
  }
}
