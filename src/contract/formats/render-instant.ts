/** A moment as RFC 3339 has it, in whole seconds: not later than it is, because whoever reads it uses a token until then. */
export function renderInstant(moment: Date): string {
  return `${moment.toISOString().slice(0, 19)}Z`
}
