import type { SmokeStep } from './steps/step.ts'
import { Skipped } from './subject/findings.ts'
import type { SmokeSubject } from './subject/subject.ts'

/** The result of one step. */
export interface SmokeResult {
  readonly name: string
  readonly outcome: 'passed' | 'skipped' | 'failed'
  /** The observation, the reason why the step was skipped, or the failure. */
  readonly words: string
  readonly ms: number
}

/**
 * Runs steps one after the other. A failed step stops the run only if no later step can work without it. A skipped step in `required` has
 * failed.
 */
export async function* runSteps(
  steps: readonly SmokeStep[],
  subject: SmokeSubject,
  required: readonly string[],
): AsyncGenerator<SmokeResult> {
  let missing: string | undefined
  for (const step of steps) {
    const startedAt = performance.now()
    const seen: Pick<SmokeResult, 'outcome' | 'words'> =
      missing === undefined ? await attemptStep(step, subject) : { outcome: 'skipped', words: `${missing} failed` }
    if (seen.outcome === 'failed' && step.isGround) missing = step.name
    const isMissed = seen.outcome === 'skipped' && required.includes(step.name)
    const ms = performance.now() - startedAt
    yield { name: step.name, ms, ...(isMissed ? { outcome: 'failed', words: `required, but ${seen.words}` } : seen) }
  }
}

async function attemptStep(step: SmokeStep, subject: SmokeSubject): Promise<Pick<SmokeResult, 'outcome' | 'words'>> {
  try {
    return { outcome: 'passed', words: await step.run(subject) }
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause)
    return { outcome: cause instanceof Skipped ? 'skipped' : 'failed', words }
  }
}
