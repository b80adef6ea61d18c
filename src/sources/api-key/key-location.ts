import { isKeyLike } from '../../contract/api-keys.ts'
import { expandHome } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import type { KeychainItem } from '../keychain/keychain.ts'
import { type ApiKeyOptions, apiKeyOptions } from './api-key-options.ts'

/** The location of a key: its file, variable or keychain item. No member is a secret. */
export type KeyLocation =
  | { readonly kind: 'keychain'; readonly item: KeychainItem }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'variable'; readonly name: string }

/**
 * Parses the location in the options: a file or a variable if one is set, otherwise the keychain.
 * @throws {HelperError} `usage` for options that contradict each other, or that hold the key itself.
 */
export function parseKeyLocation(options: LocationOptions, program: string, home: string): KeyLocation {
  const { 'key-name': keyName, 'key-file': file, 'key-variable': variable } = options
  refuseKeys(options, program)
  if (file !== undefined && variable !== undefined)
    throw new HelperError('usage', 'key-file and key-variable are both set', 'set one of the two')
  if (file !== undefined) return { kind: 'file', path: expandHome(file, home) }
  if (variable !== undefined) return { kind: 'variable', name: requireVariableName(variable) }
  return { kind: 'keychain', item: { service: program, account: keyName, label: `Gatepass: API key ${keyName}` } }
}

type LocationOptions = Pick<ApiKeyOptions, 'key-name' | 'key-file' | 'key-variable'>

/** Describes a location, such as `the file /run/key`. */
export function describeKeyLocation(location: KeyLocation): string {
  if (location.kind === 'keychain') return `the keychain, under the name "${location.item.account}"`
  return location.kind === 'file' ? `the file ${location.path}` : `the variable ${location.name}`
}

/** Renders the options that name this location, for commands in hints. */
export function renderLocationOptions(location: KeyLocation): string {
  if (location.kind === 'file') return ` --key-file ${quoteForHint(location.path)}`
  if (location.kind === 'variable') return ` --key-variable ${location.name}`
  return location.item.account === apiKeyOptions['key-name'].default
    ? ''
    : ` --key-name ${quoteForHint(location.item.account)}`
}

/** Refuses a key as the value of an option, because options are shown and saved in files. */
function refuseKeys(options: LocationOptions, program: string): void {
  const names = ['key-name', 'key-file', 'key-variable'] as const
  const wrong = names.find((name) => isKeyLike(options[name] ?? ''))
  if (wrong === undefined) return
  throw new HelperError(
    'usage',
    `${wrong} looks like a key, but must only say where the key is`,
    `have that key replaced, because others could read it here; then type or pipe the new one into: ${program} store`,
  )
}

function requireVariableName(name: string): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return name
  throw new HelperError(
    'usage',
    'key-variable is not the name of a variable',
    'write the name alone, without "$" and "="',
  )
}
