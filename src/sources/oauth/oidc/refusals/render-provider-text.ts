import { toOneLine } from '../../../../runtime/failure.ts'

/** In characters, how much of a provider's own words is shown. */
const longestText = 200

/** What looks like a token or a code that was sent, and has no place in a log. Ids with hyphens, which support asks for, stay. */
const longWord = /[A-Za-z0-9+/=_.~-]{41,}/g

/** The words of a token endpoint as the end of a message: one line, bounded, without tokens; empty where there are none. */
export function renderProviderText(description: string | undefined): string {
  const line = toOneLine((description ?? '').replace(longWord, '[…]'))
  if (line === '') return ''
  const shown = line.length > longestText ? `${line.slice(0, longestText)}…` : line
  return `; it says: ${shown.replace(/[.\s]+$/, '')}`
}
