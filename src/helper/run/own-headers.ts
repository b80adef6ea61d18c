import { findHeaderProblems, type Headers } from '../../contract/headers.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { HeaderTemplate } from './header-template.ts'

/**
 * Refuses headers of a helper's own options that cannot be sent, and those that are given a second time.
 * @throws {HelperError} `usage`, before anything is asked for.
 */
export function refuseOwnHeaders(own: Headers, given: readonly HeaderTemplate[]): void {
  const problems = findHeaderProblems(Object.entries(own))
  if (problems.length > 0)
    throw new HelperError('usage', problems.join('; '), 'correct the option that sets this header')
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  const twice = given.find(({ name }) => names.has(name.toLowerCase()))
  if (twice)
    throw new HelperError('usage', `header: an option of its own sets "${twice.name}"`, 'leave this header out')
}
