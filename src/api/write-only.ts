/** Members that are accepted and never given back. Specification. */
const writeOnly: ReadonlySet<string> = new Set(['authorization_token'])

/** A value without what is write-only, however deep, should a server ever return it. */
export function dropWriteOnly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropWriteOnly)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !writeOnly.has(name))
  return Object.fromEntries(kept.map(([name, member]) => [name, dropWriteOnly(member)]))
}
