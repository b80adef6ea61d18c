import { isLoopback } from '../../runtime/network/loopback.ts'
import type { Field } from '../field.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'

/** How a document was fetched from a server; a document from a file has none of it. */
export interface Served {
  /** The URL of the endpoint that answered. */
  readonly url: string
  /** What authorized the fetch; with an external identity provider no origin is pinned. */
  readonly authentication: 'server-issued-credential' | 'external-idp' | 'none'
}

/** Why the client would not use a valid URL, if so. The rules are those of the client's documentation. */
export function findUrlProblem(
  field: Field,
  value: string,
  path: string,
  served: Served | undefined,
): Finding | undefined {
  const url = new URL(value)
  const userInformation = findUserInformation(url, path)
  if (userInformation) return userInformation
  if (served && isLoopback(url.hostname)) {
    return createFinding(
      'url-loopback-served',
      path,
      'a served document cannot point to this machine',
      'use the address that users reach the gateway by',
    )
  }
  if (served && field.pin && served.authentication !== 'external-idp' && url.origin !== new URL(served.url).origin) {
    const origin = new URL(served.url).origin
    return createFinding(
      'url-origin-pinned',
      path,
      `its origin is ${url.origin}, but the document was served by ${origin}`,
      `use a URL that begins with ${origin}/`,
    )
  }
  return undefined
}

/** Reports a user name or a password in a URL, which no client sends (RFC 3986 section 3.2.1 deprecates them). */
export function findUserInformation({ username, password }: URL, path: string): Finding | undefined {
  if (username === '' && password === '') return undefined
  return createFinding(
    'url-user-information',
    path,
    'the URL carries a user name or password',
    'remove everything between // and @',
  )
}
