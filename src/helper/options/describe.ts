import type { ResolvedOption, ResolvedOptions } from './resolve.ts'

/** The options that are set, each with its value and where that came from; never a header's value or a password. */
export function describeOptions(resolved: ResolvedOptions): string[] {
  return [...resolved].filter(([, { value }]) => isSet(value)).map(([name, option]) => optionLine(name, option))
}

function optionLine(name: string, { value, origin }: ResolvedOption): string {
  return `${name} = ${Array.isArray(value) ? `${value.length} given` : withoutSecrets(String(value))} (${origin})`
}

/** A proxy's URL may hold user and password, with a scheme or without; the query of an address may hold a key. */
function withoutSecrets(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^?#]*)[?#].*$/is, '$1?…')
    .replace(/^([a-z][a-z0-9+.-]*:\/\/|(?=[^/]*:)).*@/i, '$1…@')
}

function isSet(value: ResolvedOption['value']): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)
}
