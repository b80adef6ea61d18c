import { commonOptions } from '../helper/options/every-helper-options.ts'
import { type ResolvedOptions, readOptions } from '../helper/options/resolve-options.ts'
import { selectNetworkSettings } from '../helper/run/call-settings.ts'
import type { Host } from '../runtime/host.ts'
import type { Fetch } from '../runtime/network/network-fetch.ts'
import type { NetworkSettings } from '../runtime/network/settings.ts'
import { createStreamFetch } from '../runtime/network/stream-fetch.ts'
import { programName } from '../version.ts'

/**
 * How this command reaches other machines: `GATEPASS_PROXY`, `HTTPS_PROXY` and the like, or `gatepass.json` of the user or
 * the machine.
 * @throws {HelperError} for a file or a variable that cannot be used.
 */
export async function readNetwork(host: Host): Promise<NetworkSettings> {
  return selectNetworkSettings(host, await readNetworkOptions(host))
}

/** The options of {@link readNetwork}, each with where it was set. */
export async function readNetworkOptions(host: Host): Promise<ResolvedOptions> {
  return readOptions(host, programName, table)
}

/** Options that helpers have too, with the same variables; the files are named for this command. */
const { proxy, 'no-proxy': noProxy, ca } = commonOptions
const table = { proxy, 'no-proxy': noProxy, ca }

/** Reads the settings of the network only where a request is made, so that nothing about them keeps a token from being read. */
export function createFetch(host: Host): Fetch {
  return async (url, init) => createStreamFetch({ network: await readNetwork(host) })(url, init)
}
