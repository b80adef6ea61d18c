import type { Host } from '../../runtime/host.ts'
import { locateOptionFiles, readOptionFile } from './files.ts'
import { type ResolvedOptions, resolveOptions } from './resolve.ts'
import type { OptionTable } from './table.ts'
import type { OptionValue } from './value.ts'

/**
 * Every option of a program on this machine: from its arguments, the environment, its two files and its table.
 * @throws {HelperError} for a file or a variable that cannot be used.
 */
export async function readOptions(
  host: Pick<Host, 'env' | 'home' | 'platform' | 'machineDirectory'>,
  program: string,
  table: OptionTable,
  given: ReadonlyMap<string, OptionValue> = new Map(),
): Promise<ResolvedOptions> {
  const { env, platform } = host
  const paths = locateOptionFiles(host, program)
  const [user, machine] = await Promise.all([
    readOptionFile({ path: paths.user, kind: 'user', platform }, table),
    readOptionFile({ path: paths.machine, kind: 'machine', platform }, table),
  ])
  return resolveOptions(program, table, { arguments: given, env, user, machine })
}

/** The values alone, as a helper's functions take them. The caller names the type of the table that resolved them. */
export function toValues<Values>(resolved: ResolvedOptions): Values {
  return Object.fromEntries([...resolved].map(([name, { value }]) => [name, value])) as Values
}
