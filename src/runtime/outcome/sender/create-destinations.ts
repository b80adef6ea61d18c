import type { Deadline } from '../../deadline.ts'
import { expandHome } from '../../files.ts'
import type { Host } from '../../host.ts'
import { toNetworkSettings } from '../../network/settings.ts'
import type { OutcomeBatch, OutcomeDestination } from '../destination.ts'
import { readHeadersFile } from './read-headers-file.ts'
import type { SenderOrder } from './sender-order.ts'

/** The destinations that an order names. Each is loaded when it is sent to, so that what one lacks does not keep the others. */
export function createDestinations(order: SenderOrder, host: Host): OutcomeDestination[] {
  const { endpoint, systemLog } = order
  return [
    ...(endpoint === undefined ? [] : [createLater('otlp', () => openCollector(endpoint, order, host))]),
    ...(systemLog ? [createLater('log', () => openSystemLog(host))] : []),
  ]
}

function createLater(name: string, open: () => Promise<OutcomeDestination>): OutcomeDestination {
  return {
    name,
    send: async (batch: OutcomeBatch, within: Deadline) => (await open()).send(batch, within),
  }
}

async function openSystemLog({ platform, clock }: Host): Promise<OutcomeDestination> {
  const { createSystemLogDestination } = await import('../system-log/system-log-destination.ts')
  return createSystemLogDestination(platform, clock)
}

async function openCollector(
  endpoint: string,
  { headersFile, proxy, noProxy, ca }: SenderOrder,
  { home, env, clock }: Host,
): Promise<OutcomeDestination> {
  const options = {
    proxy: proxy === undefined ? undefined : { text: proxy, origin: 'proxy' },
    noProxy,
    ca: ca === undefined ? undefined : { path: expandHome(ca, home), origin: 'ca' },
  }
  const headers = headersFile === undefined ? [] : await readHeadersFile(expandHome(headersFile, home))
  const { createOtlpDestination } = await import('../otlp/otlp-destination.ts')
  return createOtlpDestination({ endpoint, network: toNetworkSettings(options, env), headers }, clock)
}
