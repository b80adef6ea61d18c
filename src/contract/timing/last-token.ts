import type { HelperContext } from '../context.ts'

/**
 * Whether a failed call serves the last token until it expires: while its source cannot be reached, or is too slow. A refusal
 * always fails the call, and in `mid-session-refresh` the client asks because the last token was refused.
 * @param kind The kind of the failure.
 */
export function isLastTokenServed(context: HelperContext, kind: string): boolean {
  return (kind === 'unavailable' || kind === 'late') && context !== 'mid-session-refresh'
}
