import type { NetworkCall } from '../../../helper/define-helper.ts'
import { TransientRetryStrategy } from './retry-strategy.ts'
import { silentLogger } from './silent-logger.ts'
import { WatchedHandler } from './watched-handler.ts'

/** Settings of every AWS client of ours; a profile's own `endpoint_url` is honoured by naming the profile. */
export function clientSettings(
  { profile, region }: { profile?: string | undefined; region: string },
  { deadline, network }: Pick<NetworkCall, 'deadline' | 'network'>,
) {
  const requestHandler = new WatchedHandler(network)
  return {
    region,
    ...(profile !== undefined && { profile }),
    requestHandler,
    retryStrategy: new TransientRetryStrategy(deadline, requestHandler),
    logger: silentLogger,
  }
}

export type ClientSettings = ReturnType<typeof clientSettings>
