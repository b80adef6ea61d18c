import { HelperError } from '../../../runtime/failure.ts'
import { createDecisionAudit } from '../../../verify/server/decision-audit.ts'
import { startVerifierServer } from '../../../verify/server/start-verifier-server.ts'
import type { ListenerTls } from '../../../verify/server/tls-listener.ts'
import type { Cli } from '../../cli.ts'
import type { PolicyFlags, VerifierFlags } from './flags.ts'
import { openAudit } from './open-audit.ts'
import { openTls, toTlsFiles } from './open-tls.ts'
import { type OpenedTraces, openTraces } from './open-traces.ts'
import { openLog, openVerifier } from './open-verifier.ts'
import { closeProcessChannel, createSharedMetrics, isOneOfSeveral, runProcesses } from './processes.ts'
import { runTenants } from './run-tenants.ts'
import { checkedEntry, describeStart, serveUntilSignal } from './serve-until-signal.ts'
import { readIntrospectionSecret, readServerSettings } from './server-settings.ts'

/**
 * Serves until a signal ends it.
 * @throws {HelperError} for a policy, an address or a file that cannot be used.
 */
export async function runVerifier(cli: Cli, flags: VerifierFlags): Promise<void> {
  const { policy, tenants } = flags
  if (policy === undefined && tenants === undefined)
    throw new HelperError(
      'usage',
      'nothing says who may pass',
      'name a policy with --policy, or several with --tenants',
    )
  if (flags.processes > 1 && !flags.check && !isOneOfSeveral()) {
    const log = openLog(cli, flags)
    return runProcesses(cli, flags.processes, log).finally(log.close)
  }
  const served = tenants === undefined ? serve(cli, { ...flags, policy: policy! }) : runTenants(cli, flags, tenants)
  return served.finally(closeProcessChannel)
}

async function serve(cli: Cli, flags: VerifierFlags & PolicyFlags): Promise<void> {
  const secret = await readIntrospectionSecret(flags, cli.host)
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
    const settings = await readServerSettings(flags, cli.host, { tls, secret })
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
