/** Seconds for a person: `45 s`, `20 min`, `1 h 5 min`. */
export function renderDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const unitSec = { d: 86_400, h: 3600, m: 60, s: 1 } as const

/** Seconds from `90s`, `5m`, `8h`, `1h30m`, `2d`; `undefined` for any other text and for zero. */
export function parseDuration(text: string): number | undefined {
  const match = /^(?:(\d{1,3})d)?(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,7})s)?$/.exec(text)
  if (!match) return undefined
  const units = Object.values(unitSec)
  const seconds = match.slice(1).reduce((sum, part, index) => sum + Number(part ?? 0) * (units[index] ?? 0), 0)
  return seconds > 0 ? seconds : undefined
}
