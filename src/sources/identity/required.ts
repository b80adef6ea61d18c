import { HelperError } from '../../runtime/failure.ts'
import type { WorkloadOptions } from './identity-source.ts'

/**
 * The value of an option that a source cannot do without.
 * @param way What to put there, imperative.
 * @throws {HelperError} `not-configured`
 */
export function demandOption<Name extends keyof WorkloadOptions & string>(
  options: WorkloadOptions,
  name: Name,
  way: string,
): NonNullable<WorkloadOptions[Name]> {
  const value = options[name]
  if (value !== undefined && !(Array.isArray(value) && value.length === 0)) return value
  throw new HelperError(
    'not-configured',
    `identity is ${options.identity}, and ${name} is not set`,
    `${way} with --${name}, a variable or a file; see: workload-token --help`,
  )
}
