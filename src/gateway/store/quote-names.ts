/** How many names that somebody else wrote a refusal repeats. Our decision. */
export const mostNames = 10

/** In characters: how much of one name. */
const longestName = 200

/** A name in quotes, cut where it is long. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > longestName ? `${name.slice(0, longestName)}…` : name)
}

/** Names in quotes, and how many were left out. */
export function quoteNames(names: readonly string[], most = mostNames): string {
  const shown = names.slice(0, most).map(quoteName)
  const left = names.length - shown.length
  return [...shown, ...(left > 0 ? [`${left} more`] : [])].join(', ')
}
