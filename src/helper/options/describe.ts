import { isKeyLike } from '../../contract/api-keys/is-key-like.ts'
import { secretMark } from '../../runtime/secret.ts'
import type { ResolvedOption, ResolvedOptions } from './resolve.ts'

/** The options that are set, each with its value and its origin; never the value of a header or a password. */
export function describeOptions(resolved: ResolvedOptions): string[] {
  return [...resolved].filter(([, option]) => isSet(option)).map(([name, option]) => optionLine(name, option))
}

function optionLine(name: string, { value, origin }: ResolvedOption): string {
  return `${name} = ${Array.isArray(value) ? `${value.length} given` : withoutSecrets(String(value))} (${origin})`
}

/**
 * A key does not belong into any option, and the run that is given one refuses it. The URL of a proxy may contain a user and a password,
 * with or without a scheme; the query of an address may contain a key.
 */
function withoutSecrets(text: string): string {
  if (isKeyLike(text)) return secretMark
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^?#]*)[?#].*$/is, '$1?…')
    .replace(/^([a-z][a-z0-9+.-]*:\/\/|(?=[^/]*:)).*@/i, '$1…@')
}

/** A flag that nobody has set is false. */
function isSet({ value, origin }: ResolvedOption): boolean {
  if (value === undefined || (value === false && origin === 'default')) return false
  return !(Array.isArray(value) && value.length === 0)
}
