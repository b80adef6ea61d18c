import { dirname, join } from 'node:path'
import { readIfPresent } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import { locateOwnDirectory } from '../../runtime/files/private-files.ts'
import { findEffectiveUser, type Host } from '../../runtime/host.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { refuseDanglingLink, refuseUnsafeFile } from '../../runtime/unsafe-links.ts'
import { isObject, parseJson, type RawObject, stripMark } from '../../runtime/values/json-value.ts'
import { vendorFileName } from '../../vendor/setting.ts'
import type { OptionRow, OptionTable } from './option-table.ts'
import { listVariables, type OptionValue, type ParsedOption, parseOptionJson, parseOptionText } from './option-value.ts'

/** The settings of one configuration file. */
export interface OptionFile {
  readonly path: string
  readonly values: ReadonlyMap<string, OptionValue>
  /** The options that only this file may set; empty for the user's file. */
  readonly locked: ReadonlySet<string>
}

/** The places that can set an option. An absent place sets nothing. */
export interface OptionInputs {
  readonly arguments: ReadonlyMap<string, OptionValue>
  readonly env?: Environment
  readonly user?: OptionFile
  readonly machine?: OptionFile
}

/**
 * Iterates over what the places set for an option, the one that takes precedence first. A locked option is set by the machine's file alone;
 * any other by the arguments, else the environment, else the user's file, else the machine's file.
 */
export function* iterateSettings(
  name: string,
  row: OptionRow,
  { arguments: given, env = {}, user, machine }: OptionInputs,
): Generator<Setting> {
  if (machine?.locked.has(name)) {
    yield { value: machine.values.get(name), origin: { from: 'file', path: machine.path, isLocked: true } }
    return
  }
  const argument = given.get(name)
  if (argument !== undefined) yield { value: argument, origin: { from: 'argument' } }
  for (const variable of listVariables(name, row)) {
    const text = env[variable]
    if (text === undefined || text === '') continue
    const parsed = parseOptionText(row, text)
    yield 'problem' in parsed
      ? { problem: `${variable}: ${parsed.problem}` }
      : { ...parsed, origin: { from: 'variable', name: variable } }
  }
  for (const file of [user, machine]) {
    const value = file?.values.get(name)
    if (file && value !== undefined) yield { value, origin: { from: 'file', path: file.path, isLocked: false } }
  }
}

/** Selects the value of an option from its places in that order, else its default. A place with a problem sets nothing. */
export function selectUsable(name: string, row: OptionRow, inputs: OptionInputs): OptionValue | undefined {
  for (const setting of iterateSettings(name, row, inputs)) if ('value' in setting) return setting.value
  return row.default
}

/** Locates the two files of a helper: the user's and the machine's. */
export function locateOptionFiles(host: FileHost, program: string): { user: string; machine: string } {
  return {
    user: join(locateOwnDirectory(host, 'settings'), `${program}.json`),
    machine: join(host.machineDirectory, `${program}.json`),
  }
}

type FileHost = Pick<Host, 'env' | 'home' | 'platform' | 'machineDirectory'>

/** The setting of one place: a value, and the place; or the problem of its variable. */
type Setting = ResolvedOption | { readonly problem: string }

/** The value of an option, and the place that set it. */
export interface ResolvedOption {
  readonly value: OptionValue | undefined
  readonly origin: OptionOrigin
}

/** The place that set an option. For the second token, that is also the option of the first run that decides its value. */
export type OptionOrigin =
  | { readonly from: 'argument' | 'default' | 'header' | 'second-option' }
  | { readonly from: 'variable'; readonly name: string }
  | { readonly from: 'file'; readonly path: string; readonly isLocked: boolean }

/**
 * Reads a helper's configuration file; a missing file sets nothing. The machine's file must belong to root, because it can lock options
 * against the user; and a link that leads nowhere is an error, and not a missing file.
 * @throws {HelperError} `not-configured` if other users can write the file, or with every problem of its content.
 */
export async function readOptionFile(
  { path, kind, platform }: { path: string; kind: 'user' | 'machine'; platform: NodeJS.Platform },
  table: OptionTable,
): Promise<OptionFile> {
  const text = await readIfPresent(path)
  if (text === undefined) {
    if (kind === 'machine') await refuseDanglingLink(path)
    return { path, values: new Map(), locked: new Set() }
  }
  if (platform !== 'win32') await refuseUnsafeFile(path, kind === 'machine' ? 'root' : findEffectiveUser())
  return parseOptionFile(path, kind, table, text)
}

/** Parses the content of a configuration file; see {@link readOptionFile}. */
export function parseOptionFile(path: string, kind: 'user' | 'machine', table: OptionTable, text: string): OptionFile {
  const { locked, ...rest } = requireObject(path, text)
  const problems: string[] = []
  const values = new Map<string, OptionValue>()
  for (const [name, native] of Object.entries(rest)) {
    const row = Object.hasOwn(table, name) ? table[name] : undefined
    const parsed = name === 'vendor' ? rejectVendor(path) : parseSetting({ kind, folder: dirname(path) }, row, native)
    if ('problem' in parsed) problems.push(`${name}: ${parsed.problem}`)
    else values.set(name, parsed.value)
  }
  problems.push(...validateLocks(kind, locked, values))
  if (problems.length > 0)
    throw new HelperError('not-configured', `${path}: ${problems.join('; ')}`, `correct ${path}, or move it away`)
  return { path, values, locked: new Set((locked as string[] | undefined) ?? []) }
}

function requireObject(path: string, text: string): RawObject {
  const hint = `make ${path} one JSON object in UTF-8, such as {"client-ttl": 3600}`
  const value = parseJson(stripMark(text))
  if (isObject(value)) return value
  const problem = value === undefined ? 'is not JSON' : 'is JSON but not an object'
  throw new HelperError('not-configured', `${path} ${problem}`, hint)
}

/** Rejects the client's names in a helper's own file, because all programs of a machine share one vendor file. */
function rejectVendor(path: string): ParsedOption {
  const file = join(dirname(path), vendorFileName)
  return { problem: `the names of the client are set for all programs of a machine, in ${file}` }
}

function parseSetting(
  { kind, folder }: { readonly kind: 'user' | 'machine'; readonly folder: string },
  row: OptionRow | undefined,
  native: unknown,
): ParsedOption {
  if (!row || row.only === 'command line') return { problem: 'is not a setting of this program' }
  if (row.only === "machine's file" && kind === 'user') return { problem: "only the machine's file can set it" }
  return parseOptionJson(row, native, folder)
}

function validateLocks(kind: 'user' | 'machine', locked: unknown, values: ReadonlyMap<string, OptionValue>): string[] {
  if (locked === undefined) return []
  if (kind === 'user') return ["locked: only the machine's file can lock a setting"]
  if (!Array.isArray(locked)) return ['locked: expected a list of settings']
  return locked
    .filter((name) => !values.has(name))
    .map((name) => `locked: ${JSON.stringify(name)} is not set in this file`)
}
