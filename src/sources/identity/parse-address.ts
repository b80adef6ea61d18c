import { HelperError } from '../../runtime/failure.ts'
import { isLoopback } from '../../runtime/network/loopback.ts'
import { isMetadataHost, type NetworkScope } from '../../runtime/network/network-scope.ts'

/**
 * The address of an identity source.
 * @param setting The option or variable that holds the address.
 * @throws {HelperError} `not-configured`; the message does not repeat the address, which may hold a secret.
 */
export function parseAddress(text: string, setting: string, scope: NetworkScope): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new HelperError(
      'not-configured',
      `${setting} is not a web address that can be used`,
      `write the address into ${setting} in full and without a name or password, such as https://id.example/token`,
    )
  const mayBePlain = isLoopback(url.hostname) || (scope === 'metadata' && isMetadataHost(url.hostname))
  if (url.protocol === 'https:' || mayBePlain) return url
  throw new HelperError(
    'not-configured',
    `${setting} names ${url.hostname} over plain http, where anybody on the way could read the identity token`,
    `write an https address into ${setting}`,
  )
}
