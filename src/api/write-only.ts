/** A value without write-only members at any depth, in case a server returns them. */
export function dropWriteOnly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropWriteOnly)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !writeOnly.has(name))
  return Object.fromEntries(kept.map(([name, member]) => [name, dropWriteOnly(member)]))
}

/** Members that the API accepts and never returns. Specification. */
const writeOnly: ReadonlySet<string> = new Set(['authorization_token'])
