import type { Turn } from '../client/turn/turn.ts'
import { createStreamFetch } from '../runtime/network/fetch/stream-fetch.ts'
import type { Cli } from './cli.ts'
import { readNetwork } from './network.ts'

/** Longer than a turn itself waits for its gateway. */
const silenceSec = 3600

/** One turn is one request, over the network settings of this command. */
export async function openTurn({ host }: Cli): Promise<NonNullable<Turn['fetch']>> {
  return createStreamFetch({ network: await readNetwork(host), silenceSec })
}
