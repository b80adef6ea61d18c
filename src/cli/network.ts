import { type ResolvedOptions, readOptions } from '../helper/options/resolve.ts'
import { commonOptions } from '../helper/options/table.ts'
import { selectNetworkSettings } from '../helper/run/call-settings.ts'
import type { Host } from '../runtime/host.ts'
import type { NetworkSettings } from '../runtime/network/settings.ts'
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
