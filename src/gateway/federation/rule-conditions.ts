import type { JWTPayload } from 'jose'
import { escapePattern } from '../../runtime/hide-secrets.ts'
import type { RuleConditions } from './trust.ts'

/** The name of a claim that a token does not fulfil, or `undefined`. The audience has been verified with the signature. */
export function findUnmetClaim({ subject, claims }: RuleConditions, payload: JWTPayload): string | undefined {
  const patterns = Object.entries({ ...claims, sub: subject })
  return patterns.find(
    ([name, pattern]) => !isMatch(pattern, Object.hasOwn(payload, name) ? payload[name] : undefined),
  )?.[0]
}

/** Of a list, one item is enough. Numbers and booleans are compared as they are written. */
export function isMatch(pattern: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => isMatch(pattern, item))
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return false
  const expression = pattern.split('*').map(escapePattern).join('.*')
  return new RegExp(`^${expression}$`, 's').test(String(value))
}
