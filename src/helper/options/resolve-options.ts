import { isKeyLike } from '../../contract/api-keys.ts'
import type { Look } from '../../runtime/disk.ts'
import { describeSetting, HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { secretMark } from '../../runtime/secret.ts'
import { hasValue } from '../../runtime/values/json-value.ts'
import { selectNameSource } from '../../vendor/setting.ts'
import {
  iterateSettings,
  locateOptionFiles,
  type OptionInputs,
  type OptionOrigin,
  type ResolvedOption,
  readOptionFile,
} from './option-files.ts'
import type { OptionRow, OptionTable } from './option-table.ts'
import type { OptionValue } from './option-value.ts'

/** The value of each option that is set, by the option's name. */
export type ResolvedOptions = ReadonlyMap<string, ResolvedOption>

/**
 * Resolves every option of a program on this machine, from its arguments, the environment, its two files and its table, in the order of
 * {@link iterateSettings}.
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
    isSeenMissing(host.machineDirectory)
      ? undefined
      : readOptionFile({ path: paths.machine, kind: 'machine', platform }, table),
  ])
  return resolveOptions(program, table, { arguments: given, env, user, ...(machine && { machine }) })
}

/**
 * Returns whether the vendor file was looked for at the start of the process, and its directory was missing. Then no program's file can be
 * in it.
 */
function isSeenMissing(directory: string): boolean {
  const looks = selectNameSource().looks as readonly Look[] // the recorded looks
  return looks.some(
    ({ path, kind, found }) =>
      path === directory && kind === 'link status' && found instanceof Error && found.code === 'ENOENT',
  )
}

/**
 * Resolves every option of a table from its places in the order of {@link iterateSettings}, else from the default.
 * @throws {HelperError} `usage` that names every variable that cannot be parsed.
 */
export function resolveOptions(program: string, table: OptionTable, inputs: OptionInputs): ResolvedOptions {
  const problems: string[] = []
  const resolved = new Map<string, ResolvedOption>()
  for (const [name, row] of Object.entries(table)) {
    const found = resolveOption(name, row, inputs)
    if ('problem' in found) problems.push(found.problem)
    else resolved.set(name, found)
  }
  if (problems.length > 0)
    throw new HelperError('usage', problems.join('; '), `correct the environment, or see: ${program} --help`)
  return resolved
}

/** Resolves one option in the order of {@link resolveOptions}, or names the problem of the variable that takes precedence. */
function resolveOption(name: string, row: OptionRow, inputs: OptionInputs): ResolvedOption | { problem: string } {
  const [found] = iterateSettings(name, row, inputs)
  return found ?? { value: row.default ?? toEmptyValue(row), origin: { from: 'default' } }
}

function toEmptyValue({ value }: OptionRow): OptionValue | undefined {
  if (value === 'flag') return false
  return value === 'list' ? [] : undefined
}

/**
 * Converts resolved options to their values without the origins, in the form that a helper's functions take. The caller names the type of the table that resolved them.
 */
export function toValues<Values>(resolved: ResolvedOptions): Values {
  return Object.fromEntries([...resolved].map(([name, { value }]) => [name, value])) as Values
}

/**
 * Refuses a run without a required option. An empty list counts as not set.
 * @throws {HelperError} `not-configured` that names every such option.
 */
export function refuseUnsetOptions(program: string, table: OptionTable, resolved: ResolvedOptions): void {
  const missing = Object.keys(table).filter((name) => table[name]?.required && !hasValue(resolved.get(name)?.value))
  if (missing.length > 0) throw toUnsetError(program, missing)
}

/** Creates the failure of a run without these options. */
export function toUnsetError(program: string, missing: readonly string[]): HelperError {
  return new HelperError(
    'not-configured',
    `${missing.join(', ')} must be set`,
    describeSetting(program, missing.length > 1 ? 'them' : 'it'),
  )
}

/** Describes the options that are set, each with its value and its origin. The values of headers and passwords are never shown. */
export function describeOptions(resolved: ResolvedOptions): string[] {
  return [...resolved].filter(([, option]) => isSet(option)).map(([name, option]) => describeOption(name, option))
}

/** Returns whether an option has a value of its own. A flag that is not given has the default `false`. */
function isSet({ value, origin }: ResolvedOption): boolean {
  return hasValue(value) && !(value === false && origin.from === 'default')
}

function describeOption(name: string, { value, origin }: ResolvedOption): string {
  return `${name} = ${Array.isArray(value) ? `${value.length} given` : withoutSecrets(String(value))} (${describeOptionOrigin(origin)})`
}

/** Describes the place that set an option. */
export function describeOptionOrigin(origin: OptionOrigin): string {
  if (origin.from === 'variable') return `variable ${origin.name}`
  if (origin.from === 'file') return origin.isLocked ? `locked by ${origin.path}` : origin.path
  return origin.from
}

/**
 * Masks what may be a secret. No option takes a key, and a run with one refuses it. The URL of a proxy may hold a user name and a password,
 * with or without a scheme; the query of an address may hold a key.
 */
function withoutSecrets(text: string): string {
  if (isKeyLike(text)) return secretMark
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^?#]*)[?#].*$/is, '$1?…')
    .replace(/^([a-z][a-z0-9+.-]*:\/\/|(?=[^/]*:)).*@/i, '$1…@')
}
