import { resolveNetworkSettings } from '../../../helper/call/create-call.ts'
import { describeOptions } from '../../../helper/options/describe.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { findProxy } from '../../../runtime/network/connect/find-proxy.ts'
import { readNetworkOptions } from '../../network.ts'

/** The proxy in effect for each URL, and the settings that decide it, each with where it was set; passwords are left out. */
export async function describeNetwork(host: Host, addresses: readonly (string | undefined)[]): Promise<string[]> {
  try {
    const resolved = await readNetworkOptions(host)
    const network = resolveNetworkSettings(host, resolved)
    const urls = addresses.flatMap((address) => URL.parse(address ?? '') ?? [])
    return [
      ...urls.map(
        (url) => `${url.host} is reached ${findProxy(url, network) ? 'through the proxy' : 'without a proxy'}`,
      ),
      ...describeOptions(resolved),
      ...network.authorities.map(({ path, origin }) => `certificate authorities in ${path} (${origin})`),
      `certificates are verified: ${network.verification}`,
    ]
  } catch (error) {
    if (error instanceof HelperError) return [error.message, error.hint]
    throw error
  }
}
