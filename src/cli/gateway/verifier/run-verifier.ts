import { readHeadersFile } from '../../../outcomes/read-headers-file.ts'
import { expandHome } from '../../../runtime/disk.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { createStreamFetch } from '../../../runtime/network/stream-fetch.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { readSecretFile } from '../../../sources/oauth/exchange/settings.ts'
import { createDecisionAudit } from '../../../verify/server/decision-audit.ts'
import type { Log } from '../../../verify/server/log.ts'
import type { ListenerSettings } from '../../../verify/server/start-listeners.ts'
import { type ServerSettings, startVerifierServer } from '../../../verify/server/start-verifier-server.ts'
import type { ListenerTls } from '../../../verify/server/tls-listener.ts'
import { type AuditSink, openAuditFile } from '../../../verify/sinks/audit-sinks.ts'
import { openOtlpAudit, otlpPrefix, parseLogsAddress } from '../../../verify/sinks/otlp-audit.ts'
import { openSystemAudit, systemLogger } from '../../../verify/sinks/system-audit.ts'
import type { Cli } from '../../cli.ts'
import { readNetwork } from '../../network.ts'
import type { VerifierFlags } from './flags.ts'
import { openTls, toTlsFiles } from './open-tls.ts'
import { type OpenedTraces, openTraces } from './open-traces.ts'
import { openLog, openVerifier } from './open-verifier.ts'
import { closeProcessChannel, createSharedMetrics, isOneOfSeveral, runProcesses } from './processes.ts'
import {
  checkedEntry,
  describeStart,
  readListenerSettings,
  serveUntilSignal,
  toListenAddress,
} from './serve-until-signal.ts'

/**
 * Serves until a signal ends it.
 * @throws {HelperError} for a policy, an address or a file that cannot be used.
 */
export async function runVerifier(cli: Cli, flags: VerifierFlags): Promise<void> {
  if (flags.processes > 1 && !flags.check && !isOneOfSeveral()) {
    const log = openLog(cli, flags)
    return runProcesses(cli, flags.processes, log).finally(log.close)
  }
  return serve(cli, flags).finally(closeProcessChannel)
}

async function serve(cli: Cli, flags: VerifierFlags): Promise<void> {
  const { introspectionSecretFile: file } = flags
  const secret =
    file === undefined
      ? undefined
      : await readSecretFile(file, '--introspection-secret-file', cli.host, 'introspection')
  const tlsFiles = toTlsFiles(flags)
  const opened = await openVerifier(cli, flags)
  const sink = await openAudit(flags, cli.host, opened.log).catch(async (thrown) => {
    await opened.close()
    throw thrown
  })
  const audit = sink && createDecisionAudit(sink, cli.host.clock.now)
  let tls: ListenerTls | undefined
  let traces: OpenedTraces | undefined
  try {
    const { verifier, facts, log, events, policy, addressLimits } = opened
    const look = () => {
      sink?.reopen()
      return Promise.all([opened.look(), tls?.files.look()])
    }
    const metrics = isOneOfSeveral() ? createSharedMetrics(opened.metrics, look) : opened.metrics
    traces = await openTraces(flags, { network: opened.network, now: cli.host.clock.now, log })
    tls = tlsFiles && (await openTls(tlsFiles, flags, { now: cli.host.clock.now, log }))
    if (flags.check) return log.tell(checkedEntry)
    const listeners = await readListenerSettings(flags, cli.host.env)
    const settings = toServerSettings(flags, secret, {
      ...listeners,
      ...(tls && { tls }),
      ...(flags.grpcListen && { grpcListen: toListenAddress(flags.grpcListen, '--grpc-listen', cli.host.env) }),
    })
    const server = await startVerifierServer({
      ...{ verifier, metrics, facts, log, settings, events, audit, traces, policy, addressLimits },
    })
    await serveUntilSignal(cli, server, { log, look, start: describeStart(server, flags) })
  } finally {
    tls?.files.close()
    await traces?.sender.close()
    audit?.close()
    await sink?.close()
    await opened.close()
  }
}

/** @throws {HelperError} for an audit that cannot be opened, and for headers that nothing sends. */
async function openAudit(
  { audit, auditHeadersFile: headersFile }: VerifierFlags,
  host: Host,
  log: Log,
): Promise<AuditSink | undefined> {
  const tellTrouble = (message: string) => log.tell({ level: 'error', event: 'audit', message })
  if (audit?.startsWith(otlpPrefix)) {
    const url = parseLogsAddress(audit.slice(otlpPrefix.length))
    const path = headersFile && expandHome(headersFile, host.home)
    const readHeaders = async () => (path ? readHeadersFile(path, '--audit-headers-file') : [])
    const fetch = createStreamFetch({ network: await readNetwork(host), silenceSec: 10 })
    return openOtlpAudit({ url, fetch, readHeaders, tellTrouble })
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

function toServerSettings(
  { tokenHeader: tokenHeaders, logAccepted, auditFailing, ...flags }: VerifierFlags,
  introspectionSecret: Secret | undefined,
  listeners: ListenerSettings & Pick<ServerSettings, 'grpcListen'>,
): ServerSettings {
  const logsAccepted = logAccepted === true
  return {
    ...{ ...listeners, tokenHeaders, logAccepted: logsAccepted, auditFailing },
    requestSource: {
      ...{ from: flags.requestFrom, modelHeader: flags.modelHeader, certificateHeader: flags.clientCertHeader },
    },
    ...(introspectionSecret && { introspectionSecret }),
  }
}
