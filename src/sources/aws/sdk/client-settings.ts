import type { MintingCall } from '../../../helper/define-helper.ts'
import { PatientRetryStrategy } from './retry-strategy.ts'
import { silentLogger } from './silent-logger.ts'
import { WatchedHandler } from './watched-handler.ts'

/** Settings of every AWS client of ours; a profile's own `endpoint_url` is honoured by naming the profile. */
export function clientSettings(
  { profile, region }: { profile?: string | undefined; region: string },
  { deadline, network }: Pick<MintingCall, 'deadline' | 'network'>,
) {
  const requestHandler = new WatchedHandler(network)
  return {
    region,
    ...(profile !== undefined && { profile }),
    requestHandler,
    retryStrategy: new PatientRetryStrategy(deadline, requestHandler),
    logger: silentLogger,
  }
}

export type ClientSettings = ReturnType<typeof clientSettings>
