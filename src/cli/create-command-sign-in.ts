import type { OpenSignIn } from '../client/credentials/client-sign-in.ts'
import { createOpenSignIn } from '../client/credentials/create-open-sign-in.ts'
import type { Host } from '../runtime/host.ts'
import { programName } from '../version.ts'
import { readNetwork } from './network.ts'

/** How this command signs the person at the terminal in, as the client would: over its own network, in a browser that opens. */
export async function createCommandSignIn(host: Host): Promise<OpenSignIn> {
  return createOpenSignIn({ program: programName, host, network: await readNetwork(host) })
}
