// Runs one process with several tenants; `follow-tenants.ts` starts and ends them.

import { HelperError } from '../../../runtime/failure.ts'
import { startDecisionAudit } from '../../../verify/server/decision-audit.ts'
import { addAuditMetrics } from '../../../verify/server/metrics.ts'
import { type ServedTenant, startTenantServer } from '../../../verify/tenants/start-tenant-server.ts'
import { createTenantMetrics } from '../../../verify/tenants/tenant-metrics.ts'
import { readTenantsFile, requireTenants, type Tenant, type Tenants } from '../../../verify/tenants/tenants-file.ts'
import type { Cli } from '../../cli.ts'
import { readNetwork } from '../../network.ts'
import { type Closing, closeAtEnd } from './closing.ts'
import { startFollowingTenants } from './follow-tenants.ts'
import { openAudit, openTraces } from './open-sinks.ts'
import { openLog } from './open-verifier.ts'
import { createSharedMetrics, isOneOfSeveral } from './processes.ts'
import { checkedEntry, describeStart, serveUntilSignal } from './serve-until-signal.ts'
import { openTls, readIntrospectionSecret, readServerSettings, toTlsFiles } from './server-settings.ts'
import { startTenant } from './start-tenant.ts'
import type { VerifierFlags } from './verifier-flags.ts'

/**
 * Serves several tenants until a signal ends it. It opens the parts of the process, and each tenant separately.
 * @throws {HelperError} if no tenant can be served, and for an address or a file of the process that cannot be used.
 */
export async function runTenants(cli: Cli, flags: VerifierFlags, file: string): Promise<void> {
  const tenants = await readTenants(file, flags)
  await closeAtEnd((closing) => serve(cli, flags, { file, tenants, closing }))
}

interface ServedFile {
  readonly file: string
  readonly tenants: Tenants
  readonly closing: Closing
}

async function serve(cli: Cli, flags: VerifierFlags, { file, tenants, closing }: ServedFile): Promise<void> {
  const { now } = cli.host.clock
  const log = openLog(cli, flags)
  closing.add(log.close)
  const sink = await openAudit(flags, cli.host, { log, service: 'gatepass-verifier' })
  closing.add(() => sink?.close())
  const traces = await openTraces(flags, { network: await readNetwork(cli.host), now, log })
  closing.add(() => traces?.sender.close())
  const tlsFiles = toTlsFiles(flags)
  const tls = tlsFiles && (await openTls(tlsFiles, flags, { now, log }))
  closing.add(() => tls?.files.close())
  const secret = await readIntrospectionSecret(flags, cli.host)
  const settings = await readServerSettings(flags.check ? withoutAddresses(flags) : flags, cli.host, { tls, secret })
  const start = (tenant: Tenant) =>
    startTenant(cli, flags, tenant, { settings, sink, tracer: traces?.createTracer(tenant.name) })
  const following = await startFollowingTenants(file, tenants, { log, start, read: () => readTenants(file, flags) })
  closing.add(following.close)
  const listTenants = () => [...following.served().tenants.values()]
  if (flags.check) {
    refuseTenantsOutOfService(listTenants())
    return log.tell(checkedEntry)
  }
  refuseNoTenant(listTenants())
  const audit = sink && startDecisionAudit(sink, now)
  closing.add(() => audit?.close())
  const processMetrics = createTenantMetrics(listTenants, following.isFileRefused)
  if (sink) addAuditMetrics(processMetrics.registry, 'gatepass', sink)
  const look = async () => {
    sink?.reopen()
    await Promise.all([following.look(), tls?.files.look()])
  }
  const server = await startTenantServer({
    served: following.served,
    settings,
    sender: traces?.sender,
    metrics: isOneOfSeveral() ? createSharedMetrics(processMetrics, look) : processMetrics,
    records: { log, audit, tracer: traces?.tracer },
  })
  await serveUntilSignal(cli, server, { log, look, start: describeStart(server, { ...flags, policy: file }) })
}

/** @throws {HelperError} for a file that cannot be used, and for tenants that requests cannot reach. */
async function readTenants(
  file: string,
  { policy, revocations, requestFrom, grpcListen }: VerifierFlags,
): Promise<Tenants> {
  const beside = policy !== undefined ? '--policy' : revocations.length > 0 ? '--revocations' : undefined
  if (beside !== undefined)
    throw new HelperError('usage', `${beside} does not go with --tenants`, 'name it for each tenant in that file')
  const tenants = requireTenants(file, await readTenantsFile(file, 'its owner'))
  if (tenants.header === undefined && requestFrom === 'nothing' && grpcListen === undefined)
    throw new HelperError(
      'usage',
      'the host of a request is not known, by which its tenant is found',
      'have the gateway state it in X-Forwarded-Host, as the recipes do, and name that: --request-from x-forwarded',
    )
  return tenants
}

/** Returns the flags of a check, without addresses, because a running verifier may use them. */
function withoutAddresses({
  adminListen: _admin,
  grpcListen: _grpc,
  socketGroup: _group,
  ...flags
}: VerifierFlags): VerifierFlags {
  return { ...flags, listen: { kind: 'tcp', host: '127.0.0.1', port: 0 } }
}

/** @throws {HelperError} `not-configured` if a tenant is out of service. */
function refuseTenantsOutOfService(tenants: readonly Pick<ServedTenant, 'name' | 'problem'>[]): void {
  for (const { name, problem } of tenants)
    if (problem() !== undefined)
      throw new HelperError(
        'not-configured',
        `the tenant ${name} is out of service: ${problem()}`,
        'correct what the log above says of each; a verifier that starts now serves the others',
      )
}

/** @throws {HelperError} `not-configured` if no tenant is in service. */
function refuseNoTenant(tenants: readonly Pick<ServedTenant, 'current'>[]): void {
  if (tenants.some(({ current }) => current() !== undefined)) return
  throw new HelperError('not-configured', 'every tenant is out of service', 'correct what the log above says of each')
}
