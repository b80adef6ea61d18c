import type { UnplannedCall } from '../call/prepare-request.ts'
import type { ServedCall } from '../call/serve-call.ts'
import type { ServedToken } from '../mint/cached-call.ts'

/** What an answer is made from: what the helper served, with what a second one did. */
export interface ServedPair extends ServedCall {
  /** Values for header templates, by name; of the second token with their prefix, and with the token itself. */
  readonly facts: Readonly<Record<string, string>>
  /** `undefined` where the answer holds one token. */
  readonly second: ServedSecond | undefined
}

/** The second of two tokens, and the call that it was served to. */
export interface ServedSecond extends ServedCall {
  readonly unplanned: UnplannedCall
  /** The first token by itself: that of the answer ends with the earlier of both. */
  readonly first: ServedToken
}
