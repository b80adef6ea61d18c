/** How much of what somebody else wrote a refusal repeats: characters of one name, and names. Our decision. */
const bounds = { characters: 200, names: 10 }

/** A name in quotes, cut where it is long. */
export function quoteName(name: string): string {
  const { characters } = bounds
  return JSON.stringify(name.length > characters ? `${name.slice(0, characters)}…` : name)
}

/** Names in quotes, and how many were left out. */
export function quoteNames(names: readonly string[], most: number = bounds.names): string {
  const shown = names.slice(0, Math.min(most, bounds.names)).map(quoteName)
  const left = names.length - shown.length
  return [...shown, ...(left > 0 ? [`${left} more`] : [])].join(', ')
}
