import type { NetworkCall } from '../../../helper/define-helper.ts'
import { NetworkHandler } from './network-handler.ts'
import { TransientRetryStrategy } from './retry-strategy.ts'
import { silentLogger } from './silent-logger.ts'

/** Settings of every AWS client of ours. The profile is named so that the SDK honours its `endpoint_url`. */
export function createClientSettings(
  { profile, region }: { profile?: string | undefined; region: string },
  { deadline, network }: Pick<NetworkCall, 'deadline' | 'network'>,
) {
  const requestHandler = new NetworkHandler(network)
  return {
    region,
    ...(profile !== undefined && { profile }),
    requestHandler,
    retryStrategy: new TransientRetryStrategy(deadline, requestHandler),
    logger: silentLogger,
  }
}

/** What {@link createClientSettings} gives. */
export type ClientSettings = ReturnType<typeof createClientSettings>
