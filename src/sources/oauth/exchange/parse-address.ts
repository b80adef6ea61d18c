import { HelperError } from '../../../runtime/failure.ts'
import { refusePlainHttp, validateWebAddress } from '../../../runtime/network/addresses.ts'

/**
 * Parses an address to which a person's token may be sent: `https`, or this machine.
 * @param setting The option that holds it.
 * @throws {HelperError} `usage` if it is not a usable address; `not-configured` for plain http to another machine.
 */
export function parseSecureAddress(text: string, setting: string): URL {
  const url = URL.parse(text)
  if (!url || validateWebAddress(url) || url.hash !== '')
    throw new HelperError(
      'usage',
      `${setting}: it is not an address that can be used`,
      'write it in full, without a name, password or fragment, such as https://id.example/oauth2/token',
    )
  refusePlainHttp(url, setting)
  return url
}
