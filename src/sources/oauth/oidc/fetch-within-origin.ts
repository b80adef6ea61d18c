import { isRedirectStatus } from '../../../runtime/network/network-failure.ts'
import type { ConnectionParts } from './provider.ts'

/**
 * Fetches a public document, and follows redirects within its own origin, such as one to the same path with a slash. Other redirects
 * are not followed, because they lead to a server that the settings do not name.
 */
export async function fetchWithinOrigin(
  { call, fetch }: Pick<ConnectionParts, 'call' | 'fetch'>,
  { name, url }: { readonly name: string; readonly url: string },
): Promise<FinalAnswer> {
  let at = url
  for (let followed = 0; ; followed += 1) {
    const response = await fetch(call, { name, url: at }, { headers: { accept: 'application/json' } })
    const target = findRedirect(response, at)
    if (target?.origin !== new URL(at).origin || followed === maxRedirects)
      return { response, elsewhere: target && `${target.origin}${target.pathname}`.slice(0, longestAddress) }
    at = target.href
  }
}

/** An answer that is not a redirect within the origin, and the target if it is another redirect. */
interface FinalAnswer {
  readonly response: Response
  /** The shortened target, without its query, which may hold a secret. */
  readonly elsewhere: string | undefined
}

/** The most redirects that are followed: one for a slash, and some that a proxy may add. Our decision. */
const maxRedirects = 3

/** How many characters of an address a message repeats. */
const longestAddress = 200

/** Finds the target of a redirect; `undefined` for any other answer. @param at The address that was requested. */
function findRedirect({ status, headers }: Response, at: string): URL | undefined {
  const location = headers.get('location')
  if (!isRedirectStatus(status) || location === null) return undefined
  return URL.parse(location, at) ?? undefined
}
