import { HelperError } from '../../../runtime/failure.ts'
import { isLoopback } from '../../../runtime/network/loopback.ts'
import { describeValue } from '../checks/describe-value.ts'
import { type FetchJson, StatusError } from './fetch-json.ts'

/**
 * Finds where an issuer says that its keys are: by OpenID Connect Discovery 1.0, section 4, and where it has no such document by
 * RFC 8414, section 3.
 * @throws {HelperError} where it says nothing that can be used.
 */
export async function fetchKeysUrl(issuer: string, get: FetchJson): Promise<URL> {
  const metadata = await fetchMetadata(requireUrl(issuer, 'the issuer'), get)
  // To the letter: who could answer for another issuer could sign in its name.
  if (metadata.issuer !== issuer)
    throw toFailure(`the document at ${issuer} is of another issuer: ${describeValue(metadata.issuer)}`)
  const url = requireUrl(metadata.jwks_uri, `the jwks_uri of ${issuer}`)
  // An issuer elsewhere has no say in what this machine asks of itself.
  if (isLoopback(url.hostname) && !isLoopback(new URL(issuer).hostname))
    throw toFailure(`the jwks_uri of ${issuer} is on this machine`)
  return url
}

async function fetchMetadata(issuer: URL, get: FetchJson) {
  const path = issuer.pathname.replace(/\/$/, '')
  try {
    return await get(withPath(issuer, `${path}/.well-known/openid-configuration`))
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown
    return await get(withPath(issuer, `/.well-known/oauth-authorization-server${path}`))
  }
}

/** Not by resolving it: a path that begins with two slashes would name another host. */
function withPath(issuer: URL, path: string): URL {
  const url = new URL(issuer.origin)
  url.pathname = path
  return url
}

function requireUrl(text: unknown, what: string): URL {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (!url) throw toFailure(`${what} is no URL`)
  return url
}

function toFailure(message: string): HelperError {
  return new HelperError(
    'unavailable',
    message,
    'name the address of the keys in the policy, or ask who runs the issuer',
  )
}
