import type { Field } from '../field.ts'
import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'

/** How a document came from a server. Absent for a file. */
export interface Served {
  /** The endpoint that answered. */
  readonly url: string
  /** What authorized the fetch; an external identity provider lifts the origin pin. */
  readonly authentication: 'server-issued-credential' | 'external-idp' | 'none'
}

/** Why the client would not use a valid URL, or `undefined`. The rules are the client's, from its documentation. */
export function findUrlProblem(
  field: Field,
  value: string,
  path: string,
  served: Served | undefined,
): Finding | undefined {
  const url = new URL(value)
  const userInformation = findUserInformation(url, path)
  if (userInformation) return userInformation
  if (served && isLoopback(url)) {
    return finding(
      'url-loopback-served',
      path,
      'a served document cannot point to this machine',
      'use the address that users reach the gateway by',
    )
  }
  if (served && field.pin && served.authentication !== 'external-idp' && url.origin !== new URL(served.url).origin) {
    const origin = new URL(served.url).origin
    return finding(
      'url-origin-pinned',
      path,
      `its origin is ${url.origin}, but the document was served by ${origin}`,
      `use a URL that begins with ${origin}/`,
    )
  }
  return undefined
}

/** The finding for a user name or a password in a URL, which no client sends. */
export function findUserInformation({ username, password }: URL, path: string): Finding | undefined {
  if (username === '' && password === '') return undefined
  return finding(
    'url-user-information',
    path,
    'the URL carries a user name or password',
    'remove everything between // and @',
  )
}

/** Whether the URL's host is this machine itself: `localhost`, 127.0.0.0/8 or ::1. */
export function isLoopback({ hostname }: URL): boolean {
  return (
    /^(localhost|.+\.localhost)\.?$/.test(hostname) ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname) ||
    hostname === '[::1]' ||
    hostname.startsWith('[::ffff:7f')
  )
}
