import type { RefusalReason } from '../contract/refusal-reasons.ts'

/** The result of one part of an examination. `note`: it works, with a remark. */
export type Outcome = 'good' | 'note' | 'bad' | 'not examined'

/** What an examination looks at. */
type PartName =
  | 'document'
  | 'installation'
  | 'helper'
  | 'run'
  | 'identity'
  | 'exchange'
  | 'provider'
  | 'sign-in'
  | 'token'
  | 'gateway'

/** One part of an examination; it holds no secret, so it can go into a support ticket. */
export interface Part {
  readonly part: PartName
  readonly outcome: Outcome
  readonly lines: readonly string[]
  /** What to do, in the imperative; absent if nothing is to be done. */
  readonly hint?: string
  /** By which a token that is a JWT is signed, for programs. */
  readonly algorithm?: string
  /** What the identity has to be allowed, for programs; absent where nothing is missing, as far as that is known. */
  readonly policy?: object
  /** What a gateway answered, for programs; absent in other parts. */
  readonly answer?: AnswerFacts
}

/** A gateway's answer, with secrets replaced; without a status there was none. */
export interface AnswerFacts {
  readonly status?: number
  /** Its own code, or the system's error code where it could not be reached. */
  readonly code?: string
  /** The action of AWS that it names as not allowed, such as `bedrock:InvokeModel`. */
  readonly denied?: string
  /** Its own words. */
  readonly message?: string
  readonly requestId?: string
  /** The word by which a verifier refuses, such as `audience`. */
  readonly reason?: RefusalReason
  /** What it says besides. */
  readonly detail?: string
}

/** Whether no part is bad or was skipped. */
export function hasPassed(parts: readonly Part[]): boolean {
  return parts.every(({ outcome }) => outcome === 'good' || outcome === 'note')
}
