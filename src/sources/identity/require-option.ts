import { HelperError } from '../../runtime/failure.ts'
import type { SourceCall, WorkloadOptions } from './identity-source.ts'

/**
 * The value of an option that a source needs.
 * @param instruction What to set it to, imperative, such as "name the file".
 * @throws {HelperError} `not-configured` where it is not set, or is an empty list.
 */
export function requireOption<Name extends keyof WorkloadOptions & string>(
  options: WorkloadOptions,
  name: Name,
  instruction: string,
  { program }: SourceCall,
): NonNullable<WorkloadOptions[Name]> {
  const value = options[name]
  if (value !== undefined && !(Array.isArray(value) && value.length === 0)) return value
  throw new HelperError(
    'not-configured',
    `identity is ${options.identity}, and ${name} is not set`,
    `${instruction} with --${name}, a variable or a file; see: ${program} --help`,
  )
}
