import { findNameSource } from '../vendor/setting.ts'
import { HelperError } from './failure.ts'

/**
 * Refuses to go on if the file that decides the names could not be used: with names that are not the client's, a program would
 * silently do the wrong thing.
 * @throws {HelperError}
 */
export function refuseBrokenNames(): void {
  const { failure } = findNameSource()
  if (failure) throw new HelperError(failure.kind, failure.message, failure.hint)
}
