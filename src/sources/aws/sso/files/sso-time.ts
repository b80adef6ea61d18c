/** A time as the AWS CLI writes it, in whole seconds: `2026-01-31T12:00:00Z`. */
export function renderSsoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

/** Reads a time that any of the AWS tools wrote, in milliseconds since the epoch; `undefined` for anything else. */
export function parseSsoTime(value: unknown): number | undefined {
  // Versions of the AWS CLI before 2.0.5 wrote the name of the time zone.
  const ms = typeof value === 'string' ? Date.parse(value.replace(/UTC$/, 'Z')) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}
