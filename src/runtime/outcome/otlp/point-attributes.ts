import type { CallOutcome } from '../call-outcome.ts'
import { outcomeFields } from '../outcome-fields.ts'
import type { PointMember } from './metric-table.ts'
import type { Attribute } from './metrics-request.ts'

/**
 * The attributes of an outcome's point, by their names of {@link outcomeFields}. A failure has its kind as `error.type` too, where
 * OpenTelemetry's conventions look for it.
 */
export function toPointAttributes(outcome: CallOutcome, by: readonly PointMember[]): Attribute[] {
  const attributes = by.flatMap((member) => {
    const value = outcome[member]
    return value === undefined ? [] : [{ key: outcomeFields[member].attribute, value: toValue(value) }]
  })
  const isFailure = outcome.outcome !== 'success' && by.includes('outcome')
  return isFailure ? [...attributes, { key: 'error.type', value: toValue(outcome.outcome) }] : attributes
}

/** Attributes of texts, such as those of a resource. */
export function toTextAttributes(texts: Readonly<Record<string, string>>): Attribute[] {
  return Object.entries(texts).map(([key, text]) => ({ key, value: toValue(text) }))
}

function toValue(value: string | number): Attribute['value'] {
  return typeof value === 'number' ? { intValue: String(value) } : { stringValue: value }
}
