import type { JWTPayload } from 'jose'
import { escapePattern } from '../../runtime/hide-secrets.ts'
import type { RuleConditions } from './trust.ts'

/**
 * The name of a claim that does not match its pattern, or `undefined`. The audience is verified together with the signature.
 */
export function findUnmetClaim({ subject, claims }: RuleConditions, payload: JWTPayload): string | undefined {
  const patterns = Object.entries({ ...claims, sub: subject })
  return patterns.find(
    ([name, pattern]) => !isMatch(pattern, Object.hasOwn(payload, name) ? payload[name] : undefined),
  )?.[0]
}

/**
 * Whether a claim matches a pattern, in which `*` stands for any text. One item of a list is enough; numbers and booleans
 * match as JSON text.
 */
export function isMatch(pattern: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => isMatch(pattern, item))
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return false
  const expression = pattern.split('*').map(escapePattern).join('.*')
  return new RegExp(`^${expression}$`, 's').test(String(value))
}
