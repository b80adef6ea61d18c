// Reads the network settings of a command of `gatepass`, and makes its requests.

import type { Turn } from '../client/session/turn.ts'
import { commonOptions } from '../helper/options/every-helper-options.ts'
import { type ResolvedOptions, readOptions } from '../helper/options/resolve-options.ts'
import { selectNetworkSettings } from '../helper/run/call-settings.ts'
import type { Host } from '../runtime/host.ts'
import type { Fetch } from '../runtime/network/network-fetch.ts'
import type { NetworkSettings } from '../runtime/network/settings.ts'
import { createStreamFetch } from '../runtime/network/stream-fetch.ts'
import { programName } from '../version.ts'

/**
 * Reads the network settings of this command: `GATEPASS_PROXY`, `HTTPS_PROXY` and the like, or `gatepass.json` of the user or the machine.
 * @throws {HelperError} for a file or a variable that cannot be used.
 */
export async function readNetwork(host: Host): Promise<NetworkSettings> {
  return selectNetworkSettings(host, await readNetworkOptions(host))
}

/** Reads the options of {@link readNetwork}, each with its source. */
export async function readNetworkOptions(host: Host): Promise<ResolvedOptions> {
  return readOptions(host, programName, table)
}

/** Helpers have these options too, with the same variables; the files are named for this command. */
const { proxy, 'no-proxy': noProxy, ca } = commonOptions
const table = { proxy, 'no-proxy': noProxy, ca }

/** Creates a fetch that reads the network settings only with the first request, so that wrong settings do not prevent reading a token. */
export function createFetch(host: Host): Fetch {
  return async (url, init) => createStreamFetch({ network: await readNetwork(host) })(url, init)
}

/** Creates the request function for a turn, with the network settings of this command. */
export async function createTurnFetch(host: Host): Promise<NonNullable<Turn['fetch']>> {
  return createStreamFetch({ network: await readNetwork(host), silenceSec })
}

/** Longer than the time limit of a turn itself. */
const silenceSec = 3600
