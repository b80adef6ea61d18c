import { HelperError } from '../../runtime/failure.ts'
import { isLoopback } from '../../runtime/network/loopback.ts'
import { isMetadataHost, type NetworkScope } from '../../runtime/network/network-scope.ts'

/**
 * The address of an identity source.
 * @param setting The option or variable that names it.
 * @throws {HelperError} `not-configured`, which does not repeat it: an address may hold a secret.
 */
export function parseAddress(text: string, setting: string, reach: NetworkScope): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new HelperError(
      'not-configured',
      `${setting} is no web address that can be used`,
      `write the address into ${setting} in full and without a name or password, such as https://id.example/token`,
    )
  const isNear = isLoopback(url.hostname) || (reach === 'metadata' && isMetadataHost(url.hostname))
  if (url.protocol === 'https:' || isNear) return url
  throw new HelperError(
    'not-configured',
    `${setting} leads to ${url.hostname} over plain http, where everybody on the way could read the identity token`,
    `write an https address into ${setting}`,
  )
}
