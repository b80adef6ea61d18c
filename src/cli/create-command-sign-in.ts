import type { OpenSignIn } from '../client/credentials/client-sign-in.ts'
import { createOpenSignIn } from '../client/credentials/create-open-sign-in.ts'
import type { Host } from '../runtime/host.ts'
import { programName } from '../version.ts'
import { readNetwork } from './network.ts'

/** Creates the sign-in of the person at the terminal: as the client does, with this command's network, in a browser. */
export async function createCommandSignIn(host: Host): Promise<OpenSignIn> {
  return createOpenSignIn({ program: programName, host, network: await readNetwork(host) })
}
