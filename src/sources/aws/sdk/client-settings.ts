import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { AwsService } from '../endpoints/aws-services.ts'
import type { EndpointSettings } from '../endpoints/endpoint-settings.ts'
import { resolveEndpoint } from '../endpoints/resolve-endpoint.ts'
import { NetworkHandler } from './network-handler.ts'
import { TransientRetryStrategy } from './retry-strategy.ts'
import { silentLogger } from './silent-logger.ts'

/** What a client of the SDK is created for. */
interface ClientPurpose {
  readonly service: AwsService
  readonly region: string
  readonly endpoints: EndpointSettings
}

/** Settings of every AWS client of ours. The address is given, so that the SDK does not look for one of its own. */
export function createClientSettings(
  { service, region, endpoints }: ClientPurpose,
  { deadline, network }: Pick<NetworkCall, 'deadline' | 'network'>,
) {
  const requestHandler = new NetworkHandler(network)
  const endpoint = resolveEndpoint({ service, region }, endpoints)
  return {
    region: endpoint.region,
    endpoint: endpoint.url.href,
    // The address has both decided; beside an address the SDK refuses either.
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    requestHandler,
    retryStrategy: new TransientRetryStrategy(deadline, requestHandler),
    logger: silentLogger,
  }
}

/** What {@link createClientSettings} gives. */
export type ClientSettings = ReturnType<typeof createClientSettings>
