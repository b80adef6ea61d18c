// Folder: the client's side: the findings of an examination and the events of a client, which several folders use.

import type { RefusalReason } from '../contract/refusal-reasons.ts'

/** The result of one part of an examination. `note`: the part works, with a remark. */
export type PartOutcome = 'good' | 'note' | 'bad' | 'not examined'

/** One part of an examination. It contains no secret, so it may be attached to a support ticket. */
export interface Part {
  readonly part: PartName
  readonly outcome: PartOutcome
  readonly lines: readonly string[]
  /** The fault of a bad part, in one sentence; if absent, the part's first line states it. */
  readonly cause?: string | undefined
  /** Whether the fault is this machine's clock, which makes other parts fail. */
  readonly isClock?: true
  /** The way out, in the imperative; absent if there is nothing to do. */
  readonly hint?: string | undefined
  /** The algorithm that signed a JWT, for programs. */
  readonly algorithm?: string | undefined
  /** The permissions that the identity needs, for programs; absent if none is known to be missing. */
  readonly policy?: object | undefined
  /** The gateway's answer, for programs; absent in other parts. */
  readonly answer?: AnswerFacts | undefined
}

/** A gateway's answer, with secrets replaced. If the status is absent, there was no answer. */
export interface AnswerFacts {
  readonly status?: number | undefined
  /** The gateway's code, or the system's error code if the gateway could not be reached. */
  readonly code?: string | undefined
  /** The AWS action that AWS reports as denied, such as `bedrock:InvokeModel`. */
  readonly denied?: string | undefined
  /** The gateway's message. */
  readonly message?: string | undefined
  readonly requestId?: string | undefined
  /** The address that it redirects to, without the query. */
  readonly location?: string | undefined
  /** The reason that a verifier states, such as `audience`. */
  readonly reason?: RefusalReason | undefined
  /** The verifier's detail. */
  readonly detail?: string | undefined
}

/** Returns whether no part is bad or was skipped. */
export function hasPassed(parts: readonly Part[]): boolean {
  return parts.every(({ outcome }) => outcome === 'good' || outcome === 'note')
}

/** The subjects of an examination. */
type PartName =
  | 'device'
  | 'server'
  | 'server-sign-in'
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
  | 'clock'

/** The likely cause of an answer, and the way out unless the answer is good. */
export interface PartExplanation {
  readonly outcome: PartOutcome
  readonly cause: string
  readonly hint?: string | undefined
}

/** Creates parts that were not examined because an earlier one failed. */
export function skipParts(...parts: readonly Part['part'][]): Part[] {
  return parts.map((part) => ({ part, outcome: 'not examined', lines: ['skipped: an earlier part failed'] }))
}

/** The parts of an examination of a credential, after the document. */
export const credentialParts = {
  helper: ['helper', 'run', 'token', 'gateway'],
  'sign-in': ['provider', 'sign-in', 'token', 'gateway'],
} as const satisfies Record<string, readonly Part['part'][]>
