import type { SmokeSubject } from '../subject/subject.ts'

/** One step of trying a build: something that a user does with it. */
export interface SmokeStep {
  /** A word that `--require` names, and the summary. */
  readonly name: string
  /** Set if no later step can be tried when this one fails. */
  readonly isGround?: boolean
  /** @returns what was seen, in a few words; throws where it is not as required, or `Skipped` where it does not apply here */
  run(subject: SmokeSubject): Promise<string>
}
