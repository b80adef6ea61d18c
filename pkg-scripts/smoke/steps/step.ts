import type { SmokeSubject } from '../subject/subject.ts'

/** One step of the smoke test, which does what a user does with a build. */
export interface SmokeStep {
  /** A word that `--require` names, and the summary. */
  readonly name: string
  /** Set if no later step can be tried when this one fails. */
  readonly isGround?: boolean
  /** @returns a short description of the observation; throws if the requirement is not met, or `Skipped` if the step does not apply here */
  run(subject: SmokeSubject): Promise<string>
}
