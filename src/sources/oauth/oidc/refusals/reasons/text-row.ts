import type { FindReason } from './refusal.ts'

/** Each pattern is one of a provider's own sentences. Where a text is matched, our words are shown and nothing of it. */
export type TextRow = readonly [pattern: RegExp, reason: FindReason]
