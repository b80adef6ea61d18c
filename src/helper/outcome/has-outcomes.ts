import type { ResolvedOptions } from '../options/resolve.ts'

/** Whether anybody is to be told. Cheap, because every call asks. */
export function hasOutcomes(resolved: ResolvedOptions): boolean {
  return resolved.get('outcome-log')?.value === 'system' || resolved.get('otlp-endpoint')?.value !== undefined
}
