import { randomBytes } from 'node:crypto'

/** The path that most people register with a provider. */
export const usualCallbackPath = '/oauth/callback'

/**
 * A path with a segment that nobody guesses, for providers that do not compare it: without the state, and without this, a page in the
 * person's browser does not even learn whether a sign-in is under way.
 */
export function createCallbackPath(): string {
  return `${usualCallbackPath}/${randomBytes(16).toString('base64url')}`
}
