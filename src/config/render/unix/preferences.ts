import { build } from 'plist'

/** Managed preferences as a plain property list, which management systems take under a preference domain. */
export function renderPreferences(entries: Readonly<Record<string, string>>): string {
  return `${build({ ...entries })}\n`
}
