import { expandHome } from '../../files.ts'
import type { Host } from '../../host.ts'
import { toNetworkSettings } from '../../network/settings.ts'
import type { OutcomeDestination } from '../destination.ts'
import { createOtlpDestination } from '../otlp/otlp-destination.ts'
import type { Collector } from '../otlp/send-metrics.ts'
import { createSystemLogDestination } from '../system-log/system-log-destination.ts'
import { readHeadersFile } from './read-headers-file.ts'
import type { SenderOrder } from './sender-order.ts'

/** The destinations that an order names. */
export function createDestinations(order: SenderOrder, host: Host): OutcomeDestination[] {
  const { endpoint, systemLog } = order
  const { platform, clock } = host
  return [
    ...(endpoint === undefined ? [] : [createOtlpDestination(() => openCollector(endpoint, order, host), clock)]),
    ...(systemLog ? [createSystemLogDestination(platform, clock)] : []),
  ]
}

async function openCollector(
  endpoint: string,
  { headersFile, proxy, noProxy, ca }: SenderOrder,
  { home, env }: Host,
): Promise<Collector> {
  const options = {
    proxy: proxy === undefined ? undefined : { text: proxy, origin: 'proxy' },
    noProxy,
    ca: ca === undefined ? undefined : { path: expandHome(ca, home), origin: 'ca' },
  }
  const headers = headersFile === undefined ? [] : await readHeadersFile(expandHome(headersFile, home))
  return { endpoint, network: toNetworkSettings(options, env), headers }
}
