import { vendor } from '../../vendor.ts'

/** How keys begin: those of the platform, and those of most others. */
const beginnings = [vendor.keyPrefix, 'sk-']

/** Whether a text holds something that looks like an API key, and so must not be repeated. Short ones are words. */
export function isKeyLike(text: string): boolean {
  const words = text.match(/[\w.-]{16,}/g) ?? []
  return words.map((word) => word.replace(/^-+/, '')).some((word) => beginnings.some((start) => word.startsWith(start)))
}
