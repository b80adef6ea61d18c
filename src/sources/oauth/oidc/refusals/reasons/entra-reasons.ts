import { entraConsent } from './entra-consent.ts'
import { entraPolicies } from './entra-policies.ts'
import { entraSettings } from './entra-settings.ts'
import type { FindReason } from './refusal.ts'

/** The reasons by the number in `AADSTS…`. */
export const entraReasons: ReadonlyMap<string, FindReason> = new Map(
  [...entraPolicies, ...entraConsent, ...entraSettings].flatMap(([codes, reason]) =>
    codes.map((code) => [String(code), reason] as const),
  ),
)
