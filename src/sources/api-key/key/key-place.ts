import { isKeyLike } from '../../../contract/api-keys/is-key-like.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { expandHome } from '../../../runtime/files.ts'
import type { KeychainItem } from '../../keychain/keychain.ts'
import type { ApiKeyOptions } from './options.ts'

/** Where a key is. No part of it is a secret. */
export type KeyPlace =
  | { readonly kind: 'keychain'; readonly item: KeychainItem }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'variable'; readonly name: string }

/** What of the options names a place. */
type PlaceOptions = Pick<ApiKeyOptions, 'key-name' | 'key-file' | 'key-variable'>

/**
 * The place that the options name: a file or a variable where one is named, otherwise the keychain.
 * @throws {HelperError} `usage` for options that contradict each other, or that hold the key itself.
 */
export function parseKeyPlace(options: PlaceOptions, program: string, home: string): KeyPlace {
  const { 'key-name': keyName, 'key-file': file, 'key-variable': variable } = options
  refuseKeys(options, program)
  if (file !== undefined && variable !== undefined)
    throw new HelperError('usage', 'key-file and key-variable are both set', 'set one of the two')
  if (file !== undefined) return { kind: 'file', path: expandHome(file, home) }
  if (variable !== undefined) return { kind: 'variable', name: requireVariableName(variable) }
  return { kind: 'keychain', item: { service: program, account: keyName, label: `Gatepass: API key ${keyName}` } }
}

/** A place in words, such as `the file /run/key`. */
export function describePlace(place: KeyPlace): string {
  if (place.kind === 'keychain') return `the keychain, under the name "${place.item.account}"`
  return place.kind === 'file' ? `the file ${place.path}` : `the variable ${place.name}`
}

/** The options by which the same place is named once more, for hints. */
export function renderPlaceOptions(place: KeyPlace): string {
  if (place.kind === 'file') return ` --key-file '${place.path}'`
  if (place.kind === 'variable') return ` --key-variable ${place.name}`
  return place.item.account === 'default' ? '' : ` --key-name '${place.item.account}'`
}

/** What names a key is shown and kept in files; a key must be neither. */
function refuseKeys(options: PlaceOptions, program: string): void {
  const names = ['key-name', 'key-file', 'key-variable'] as const
  const wrong = names.find((name) => isKeyLike(options[name] ?? ''))
  if (wrong === undefined) return
  throw new HelperError(
    'usage',
    `${wrong} looks like a key, and only says where the key is`,
    `have that key replaced, because others could read it here; the new one is typed or piped into: ${program} store`,
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
