/** A moment with its distance, such as `2026-01-15T12:00:00.000Z, in 4 min`. Both are epoch milliseconds. */
export function describeMoment(at: number, now: number): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return 'an unknown time'
  return `${date.toISOString()}, ${at >= now ? `in ${renderSpan(at - now)}` : `${renderSpan(now - at)} ago`}`
}

function renderSpan(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return `${Math.floor(ms / 1000)} s`
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`
}
