const dayMs = 86_400_000

/** A key that lives at least `livesDays` is announced `aheadDays` before it expires. Specification. */
const warnings = [
  { livesDays: 14, aheadDays: 7 },
  { livesDays: 7, aheadDays: 1 },
] as const

/**
 * When people are warned that a key expires, in epoch milliseconds, the earliest first; empty for a short life and for `null`,
 * which is no expiry.
 * @param createdAt `-Infinity` where it is not known: then the life counts as long.
 */
export function listWarnings(createdAt: number, expiresAt: number | null): number[] {
  if (expiresAt === null) return []
  return warnings
    .filter(({ livesDays }) => expiresAt - createdAt >= livesDays * dayMs)
    .map(({ aheadDays }) => expiresAt - aheadDays * dayMs)
}
