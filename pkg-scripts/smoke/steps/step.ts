import type { SmokeSubject } from '../subject/subject.ts'

/** One thing that is tried. */
export interface SmokeStep {
  /** A word that `--require` names, and the summary. */
  readonly name: string
  /** Whether nothing that follows can be tried without it. */
  readonly isGround?: boolean
  /** @returns what was seen, in a few words; throws where it is not as required, or `Skipped` where it does not apply here */
  run(subject: SmokeSubject): Promise<string>
}
