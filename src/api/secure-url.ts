import { HelperError } from '../runtime/failure.ts'
import { isSecureAddress, validateWebAddress } from '../runtime/network/addresses.ts'

/**
 * Returns the address of an endpoint: `baseUrl` followed by `path`.
 * @throws {HelperError} `usage` for an unusable URL, `refused` for plain http to another machine, because every request holds a secret.
 */
export function requireSecureUrl(baseUrl: string, path: string): URL {
  const url = URL.parse(baseUrl.replace(/\/+$/, '') + path)
  if (!url || validateWebAddress(url))
    throw new HelperError(
      'usage',
      'the address of the API is not a URL that can be used',
      'write it in full and without a name or password, such as https://api.example.com',
    )
  if (isSecureAddress(url)) return url
  throw new HelperError(
    'refused',
    `${url.hostname} would be sent a secret over plain http`,
    `write https://${url.host} as the address`,
  )
}
