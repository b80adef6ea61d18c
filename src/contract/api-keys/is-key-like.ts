import { vendor } from '../../vendor.ts'

/** How keys begin: those of the platform, and those of most others. */
const beginnings = [vendor.keyPrefix, 'sk-']

/** Whether a text holds something that looks like an API key, and so must not be repeated. Short ones are words. */
export function isKeyLike(text: string): boolean {
  return (text.match(keys) ?? []).some((key) => key.length >= 16)
}

const keys = new RegExp(`(?<![\\w.-])-*(?:${beginnings.map(escapeSigns).join('|')})[\\w.-]*`, 'g')

/** A prefix as a pattern; it may have signs in it. */
function escapeSigns(start: string): string {
  return start.replace(/\W/g, '\\$&')
}
