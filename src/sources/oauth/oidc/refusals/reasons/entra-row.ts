import type { FindReason } from './refusal.ts'

/** Codes, as the number in `AADSTS…`, and their reason. */
export type EntraRow = readonly [codes: readonly number[], reason: FindReason]
