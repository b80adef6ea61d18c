import { locateCacheDirectory } from '../../../runtime/private/locate-cache.ts'
import { removeCachedTokens } from '../../cache/inventory.ts'
import type { AnyHelper, HelperCommand } from '../../define-helper.ts'

/**
 * Signs a person out. Cached tokens are no longer served then, because the id of the sign-in is part of their key; but they
 * would lie there until they expire.
 */
export function createSignOutCommand(signOut: NonNullable<AnyHelper['signOut']>): HelperCommand {
  return {
    summary: 'signs you out, here and at the provider',
    longestSec: 60,
    async run(host, options, call, plan) {
      const { subject, wasSignedIn } = await call.deadline.during('sign-in', 'the sign-out', () =>
        signOut(host, options, call, plan),
      )
      call.tell(wasSignedIn ? `signed out of ${subject}` : `nobody was signed in to ${subject}`)
      const directory = locateCacheDirectory(host)
      await call.deadline
        .during('cache', `removing tokens from ${directory}`, () => removeCachedTokens(directory, call.program))
        .catch(({ message }: Error) => call.warn(`cannot remove the cached tokens from ${directory}: ${message}`))
    },
  }
}
