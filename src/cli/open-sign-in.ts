import type { OpenSignIn } from '../client/sign-in/client-sign-in.ts'
import { createOpenSignIn } from '../client/sign-in/create-open-sign-in.ts'
import type { Host } from '../runtime/host.ts'
import { readNetwork } from './network.ts'
import { programName } from './program-name.ts'

/** How this command signs the person at the terminal in, as the client would: over its own network, in a browser that opens. */
export async function createCommandSignIn(host: Host): Promise<OpenSignIn> {
  return createOpenSignIn({ program: programName, host, network: await readNetwork(host) })
}
