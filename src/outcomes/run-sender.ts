import { Deadline } from '../runtime/deadline.ts'
import { expandHome } from '../runtime/disk.ts'
import { endProcess, type Host, observeMachineName, observeProcessId } from '../runtime/host.ts'
import { toNetworkSettings } from '../runtime/network/settings.ts'
import type { OutcomeDestination } from './destination.ts'
import { createOtlpDestination } from './destinations/otlp-destination.ts'
import type { Collector } from './destinations/send-metrics.ts'
import { createSystemLogDestination, systemLocations } from './destinations/system-log-destination.ts'
import { readHeadersFile } from './read-headers-file.ts'
import { sendSpool } from './send-spool.ts'
import { parseSenderSettings, type SenderSettings, settingsVariable } from './sender-settings.ts'

/**
 * Runs the process that sends outcomes. Nobody waits for it or reads its output: it prints nothing, and ends in time, whatever the network
 * and the disk do.
 */
export async function runSender(host: Host): Promise<void> {
  const settings = parseSenderSettings(host.env[settingsVariable])
  if (settings) await send(settings, host).catch(() => undefined)
  endProcess(0, 'abandoned')
}

async function send(settings: SenderSettings, host: Host): Promise<void> {
  const { directory, seconds, resource, version } = settings
  const { clock } = host
  const words = `the ${Math.round(seconds)} s that the call had left for sending`
  const limit = { words, hint: 'find out why it is slow, if the next sending fails too' }
  const within = new Deadline({ seconds, ...limit }, clock)
  const whole = new Deadline({ seconds: seconds + graceSec, ...limit }, clock)
  await whole.during('network', 'sending outcomes', async () => {
    const destinations = createDestinations(settings, host)
    await sendSpool({
      directory,
      destinations,
      within,
      clock,
      resource: toResource(resource, version, { platform: host.platform, machine: observeMachineName() }),
      process: observeProcessId(),
    })
  })
}

/** In seconds: the time for storing the rest and the reason, after the time for sending is over. Our decision. */
const graceSec = 1

/** Creates the destinations that the settings name. A collector is opened only when something is sent to it. */
export function createDestinations(settings: SenderSettings, host: Host): OutcomeDestination[] {
  const { endpoint, systemLog } = settings
  const { platform, clock } = host
  return [
    ...(endpoint === undefined ? [] : [createOtlpDestination(() => openCollector(endpoint, settings, host), clock)]),
    ...(systemLog ? [createSystemLogDestination(platform, clock, systemLocations)] : []),
  ]
}

async function openCollector(
  endpoint: string,
  { headersFile, proxy, noProxy, ca }: SenderSettings,
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

/**
 * Collects the attributes of this machine, by OpenTelemetry's names. Those of the options take precedence over the defaults. An empty one
 * is left out.
 * @param texts Attributes, each as `name=value`.
 */
export function toResource(
  texts: readonly string[],
  version: string,
  { platform, machine }: { readonly platform: NodeJS.Platform; readonly machine: string },
): Readonly<Record<string, string>> {
  const given = texts.map((text): [string, string] => {
    const end = text.indexOf('=')
    return [text.slice(0, end), text.slice(end + 1)]
  })
  const defaults = {
    'service.name': 'gatepass',
    'service.version': version,
    'host.name': machine,
    // OpenTelemetry's name of a system differs from Node's only for Windows (semantic conventions).
    'os.type': platform === 'win32' ? 'windows' : platform,
  }
  return Object.fromEntries(Object.entries({ ...defaults, ...Object.fromEntries(given) }).filter(([, value]) => value))
}
