// Runs `gatepass gateway verifier` with one policy; `run-tenants.ts` does so with several tenants.

import { HelperError } from '../../../runtime/failure.ts'
import { startDecisionAudit } from '../../../verify/server/decision-audit.ts'
import { startVerifierServer } from '../../../verify/server/start-verifier-server.ts'
import type { Cli } from '../../cli.ts'
import { type Closing, closeAtEnd } from './closing.ts'
import { openAudit, openTraces } from './open-sinks.ts'
import { openLog, openVerifier } from './open-verifier.ts'
import { closeProcessChannel, createSharedMetrics, isOneOfSeveral, runProcesses } from './processes.ts'
import { runTenants } from './run-tenants.ts'
import { checkedEntry, describeStart, serveUntilSignal } from './serve-until-signal.ts'
import { openTls, readIntrospectionSecret, readServerSettings, toTlsFiles } from './server-settings.ts'
import type { PolicyFlags, VerifierFlags } from './verifier-flags.ts'

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
  const served =
    tenants === undefined
      ? closeAtEnd((closing) => serve(cli, { ...flags, policy: policy! }, closing))
      : runTenants(cli, flags, tenants)
  return served.finally(closeProcessChannel)
}

async function serve(cli: Cli, flags: VerifierFlags & PolicyFlags, closing: Closing): Promise<void> {
  const { now } = cli.host.clock
  const secret = await readIntrospectionSecret(flags, cli.host)
  const tlsFiles = toTlsFiles(flags)
  const opened = await openVerifier(cli, flags)
  closing.add(opened.close)
  const { verifier, facts, log, network, events, policy, addressLimits } = opened
  const sink = await openAudit(flags, cli.host, { log, service: 'gatepass-verifier' })
  closing.add(() => sink?.close())
  const audit = sink && startDecisionAudit(sink, now)
  closing.add(() => audit?.close())
  const traces = await openTraces(flags, { network, now, log })
  closing.add(() => traces?.sender.close())
  const tls = tlsFiles && (await openTls(tlsFiles, flags, { now, log }))
  closing.add(() => tls?.files.close())
  if (flags.check) return log.tell(checkedEntry)
  const look = () => {
    sink?.reopen()
    return Promise.all([opened.look(), tls?.files.look()])
  }
  const metrics = isOneOfSeveral() ? createSharedMetrics(opened.metrics, look) : opened.metrics
  const settings = await readServerSettings(flags, cli.host, { tls, secret })
  const server = await startVerifierServer({
    verifier,
    metrics,
    facts,
    log,
    settings,
    events,
    audit,
    traces,
    policy,
    addressLimits,
  })
  await serveUntilSignal(cli, server, { log, look, start: describeStart(server, flags) })
}
