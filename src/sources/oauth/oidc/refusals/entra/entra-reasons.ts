import type { FindReason } from '../refusal.ts'
import { entraConsent } from './consent.ts'
import { entraPolicies } from './policies.ts'
import { entraSettings } from './settings.ts'

/** The reasons by the number in `AADSTS…`. */
export const entraReasons: ReadonlyMap<string, FindReason> = new Map(
  [...entraPolicies, ...entraConsent, ...entraSettings].flatMap(([codes, reason]) =>
    codes.map((code) => [String(code), reason] as const),
  ),
)
