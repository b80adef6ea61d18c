// Opens the audit and the traces of a verifier by its flags.

import { toCollectorAddress } from '../../../outcomes/destinations/collector-address.ts'
import { readHeadersFile } from '../../../outcomes/read-headers-file.ts'
import { expandHome } from '../../../runtime/disk.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { type Host, systemLogger } from '../../../runtime/host.ts'
import { createNetworkFetch, type Fetch } from '../../../runtime/network/network-fetch.ts'
import type { NetworkSettings } from '../../../runtime/network/settings.ts'
import { createStreamFetch } from '../../../runtime/network/stream-fetch.ts'
import type { Log } from '../../../verify/server/log.ts'
import { createTracer, type Tracer } from '../../../verify/server/tracer.ts'
import { type AuditSink, openAuditFile } from '../../../verify/sinks/audit-sinks.ts'
import { type AuditedService, openOtlpAudit, otlpPrefix, parseLogsAddress } from '../../../verify/sinks/otlp-audit.ts'
import { SpanSender } from '../../../verify/sinks/span-sender.ts'
import { openSystemAudit } from '../../../verify/sinks/system-audit.ts'
import { readNetwork } from '../../network.ts'
import type { AuditFlags, VerifierFlags } from './verifier-flags.ts'

/**
 * Opens the audit of the flags.
 * @throws {HelperError} for an audit that cannot be opened, and for headers without a collector.
 */
export async function openAudit(
  { audit, auditHeadersFile: headersFile }: AuditFlags,
  host: Host,
  { log, service }: AuditParts,
): Promise<AuditSink | undefined> {
  const tellTrouble = (message: string) => log.tell({ level: 'error', event: 'audit', message })
  if (audit?.startsWith(otlpPrefix)) {
    const url = parseLogsAddress(audit.slice(otlpPrefix.length))
    const path = headersFile && expandHome(headersFile, host.home)
    const readHeaders = async () => (path ? readHeadersFile(path, '--audit-headers-file') : [])
    const fetch = createStreamFetch({ network: await readNetwork(host) })
    return openOtlpAudit({ url, service, fetch, readHeaders, tellTrouble })
  }
  if (headersFile !== undefined)
    throw new HelperError(
      'usage',
      '--audit-headers-file is for a collector alone',
      `name it with --audit ${otlpPrefix}URL, or remove --audit-headers-file`,
    )
  if (audit === undefined) return undefined
  return audit === 'system'
    ? openSystemAudit(systemLogger, tellTrouble, host.platform)
    : openAuditFile(audit, tellTrouble)
}

/** The tracer, which creates the spans of decisions, and the sender. */
interface OpenedTraces {
  readonly tracer: Tracer
  /** Creates the tracer of one tenant. */
  readonly createTracer: (tenant?: string) => Tracer
  readonly sender: SpanSender
}

interface AuditParts {
  readonly log: Log
  /** The name of the program with the audit, for collectors. */
  readonly service: AuditedService
}

/**
 * Opens the traces, if the flags name a collector.
 * @throws {HelperError} `usage` for flags that need a collector, `not-configured` for an address or a file that cannot be used.
 */
export async function openTraces(
  { traces, tracesHeadersFile: file, tracesSubject }: VerifierFlags,
  { network, now, log }: { readonly network: NetworkSettings; readonly now: () => number; readonly log: Log },
): Promise<OpenedTraces | undefined> {
  if (traces === undefined) {
    if (file === undefined && !tracesSubject) return undefined
    const given = file === undefined ? '--traces-subject' : '--traces-headers-file'
    throw new HelperError('usage', `${given} needs --traces`, 'name the collector with --traces')
  }
  const settings = { endpoint: '--traces', headersFile: '--traces-headers-file' }
  const url = toCollectorAddress(traces, 'traces', settings)
  const headers = file === undefined ? [] : await readHeadersFile(file, settings.headersFile)
  const { host } = new URL(url)
  const report = (problem: string | undefined) =>
    log.tell(
      problem === undefined
        ? { level: 'info', event: 'traces', message: `the collector ${host} takes spans again` }
        : { level: 'warning', event: 'traces', message: `the collector ${host} takes no spans: ${problem}` },
    )
  const fetch: Fetch = (address, init) => {
    const { signal } = init
    return createNetworkFetch({ network, scope: 'any-host', signal: signal!, report: () => {} })(address, init) // the sender sets the signal
  }
  const sender = new SpanSender({ url, headers, fetch, report })
  const createOwn = (tenant?: string) => createTracer({ sender, now, namesSubject: tracesSubject === true, tenant })
  return { sender, tracer: createOwn(), createTracer: createOwn }
}
