import { findNameSource } from '../../vendor/name-source.ts'
import { HelperError } from '../failure.ts'

/**
 * Refuses to go on where the file that decides the names could not be used: with other names than those of the client, a program
 * would be wrong in silence.
 * @throws {HelperError}
 */
export function refuseBrokenNames(): void {
  const { failure } = findNameSource()
  if (failure) throw new HelperError(failure.kind, failure.message, failure.hint)
}
