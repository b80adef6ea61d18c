import { HelperError } from '../../runtime/failure.ts'
import type { ResolvedOptions } from './resolve.ts'
import type { OptionTable } from './table.ts'

/** The names of the options that must be set. */
export function listRequired(table: OptionTable): string[] {
  return Object.keys(table).filter((name) => table[name]?.required)
}

/** @throws {HelperError} `not-configured` that names every required option that is not set; an empty list is not. */
export function requireOptions(program: string, table: OptionTable, resolved: ResolvedOptions): void {
  const missing = listRequired(table).filter((name) => isUnset(resolved.get(name)?.value))
  if (missing.length === 0) return
  throw new HelperError(
    'not-configured',
    `${missing.join(', ')} must be set`,
    `set ${missing.length > 1 ? 'them' : 'it'} by argument, variable or file; see: ${program} --help`,
  )
}

function isUnset(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.length === 0)
}
