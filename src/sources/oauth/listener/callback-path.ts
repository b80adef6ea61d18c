import { randomBytes } from 'node:crypto'
import { usualRedirectPath } from '../../../contract/identity-providers/to-registered-redirect.ts'

/**
 * A path with a segment that nobody guesses, for providers that do not compare it: without the state, and without this, a page in the
 * person's browser does not even learn whether a sign-in is under way.
 */
export function createCallbackPath(): string {
  return `${usualRedirectPath}/${randomBytes(16).toString('base64url')}`
}
