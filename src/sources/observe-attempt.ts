import type { DiagnosisLine } from '../helper/diagnosis.ts'
import { HelperError } from '../runtime/failure.ts'

/** Collects lines of a diagnosis. A failure becomes a line, and does not end the diagnosis. */
export async function observeAttempt(look: () => Promise<DiagnosisLine[]>): Promise<DiagnosisLine[]> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof HelperError) return [{ status: 'bad', text: error.message, hint: error.hint }]
    throw error
  }
}
