import { HelperError } from '../../../runtime/failure.ts'
import { toTenantPrefix } from '../../../verify/replay/redis-address.ts'
import { startDecisionAudit } from '../../../verify/server/decision-audit.ts'
import { eventPaths } from '../../../verify/server/event-receiver.ts'
import { introspectionPath } from '../../../verify/server/introspection-endpoint.ts'
import { type Log, openBoundedLog } from '../../../verify/server/log.ts'
import { addAuditMetrics } from '../../../verify/server/metrics.ts'
import { createAnswers, type ServerSettings } from '../../../verify/server/start-verifier-server.ts'
import type { Tracer } from '../../../verify/server/tracer.ts'
import { type AuditSink, openAuditFile } from '../../../verify/sinks/audit-sinks.ts'
import { startLooking } from '../../../verify/start-looking.ts'
import type { OpenTenant, ServedTenant } from '../../../verify/tenants/start-tenant-server.ts'
import type { Tenant } from '../../../verify/tenants/tenants-file.ts'
import type { Cli } from '../../cli.ts'
import { type Closing, closeOnFailure } from './closing.ts'
import { openLog, openVerifier } from './open-verifier.ts'
import type { VerifierFlags } from './verifier-flags.ts'

/** A tenant whose opening is repeated until it succeeds. */
export interface RunningTenant extends ServedTenant {
  readonly tenant: Tenant
  /** Checks at once whether its files have changed. */
  look(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a tenant, and tries again every second after a failure: a tenant with unusable files is out of service without affecting the
 * others.
 */
export async function startTenant(
  cli: Cli,
  flags: VerifierFlags,
  tenant: Tenant,
  parts: TenantParts,
): Promise<RunningTenant> {
  const { name, revocations } = tenant
  const log = openLog(cli, flags, { tenant: name })
  let state: { readonly open: OpenedTenant } | { readonly problem: string } = { problem: 'it is being opened' }
  const tryToOpen = async () => {
    try {
      const open = await openTenant(cli, flags, tenant, { ...parts, processLog: log })
      log.tell({ level: 'info', event: 'tenant', message: 'the tenant is in service' })
      state = { open }
    } catch (thrown) {
      const { message: problem, hint } = toProblem(thrown)
      const message = `the tenant is out of service: ${problem}`
      if (!('problem' in state && state.problem === problem))
        log.tell({ level: 'error', event: 'tenant-out-of-service', message, facts: { hint } })
      state = { problem }
    }
  }
  await tryToOpen()
  const current = () => ('open' in state ? state.open : undefined)
  const looks = startLooking(async () => {
    if (!current()) await tryToOpen()
  }, 1_000)
  return {
    name,
    tenant,
    current,
    problem: () => ('problem' in state ? state.problem : undefined),
    paths: [introspectionPath, ...(revocations.length > 0 ? Object.values(eventPaths) : [])],
    records: {
      log,
      audit: parts.sink && startDecisionAudit(parts.sink, cli.host.clock.now, name),
      tracer: parts.tracer,
    },
    async look() {
      await (current()?.look() ?? looks.look())
    },
    async close() {
      looks.close()
      await looks.look() // waits for a check in progress
      await current()?.close()
      log.close()
    },
  }
}

interface TenantParts {
  readonly settings: ServerSettings
  /** The audit of the process; absent without one. */
  readonly sink: AuditSink | undefined
  readonly tracer: Tracer | undefined
}

/** @throws {HelperError} for a file of the tenant that cannot be used. */
function openTenant(
  cli: Cli,
  flags: VerifierFlags,
  tenant: Tenant,
  parts: Omit<OpeningParts, 'closing'>,
): Promise<OpenedTenant> {
  return closeOnFailure((closing) => open(cli, flags, tenant, { ...parts, closing }))
}

function toProblem(thrown: unknown): { readonly message: string; readonly hint: string | undefined } {
  if (thrown instanceof HelperError) return { message: thrown.message, hint: thrown.hint }
  const name = thrown instanceof Error ? thrown.name : typeof thrown
  return { message: `this is a defect of the verifier (${name})`, hint: undefined }
}

interface OpeningParts extends TenantParts {
  /** The log of the process, which reports lines that the tenant's own log has lost. */
  readonly processLog: Log
  readonly closing: Closing
}

interface OpenedTenant extends OpenTenant {
  look(): Promise<unknown>
  close(): Promise<void>
}

async function open(
  cli: Cli,
  flags: VerifierFlags,
  { name, policy, log: logFile, audit: auditFile, revocations }: Tenant,
  { settings, sink: shared, tracer, processLog, closing }: OpeningParts,
): Promise<OpenedTenant> {
  const { now } = cli.host.clock
  const tellLost = (message: string) => processLog.tell({ level: 'error', event: 'log', message })
  const written = logFile === undefined ? undefined : await openAuditFile(logFile, tellLost, toWords('log'))
  closing.add(() => written?.close())
  const facts = { tenant: name }
  const log: Log = written
    ? openBoundedLog({ format: flags.log ?? 'json', now, write: (line) => written.write(line), facts })
    : openLog(cli, flags, facts)
  closing.add(log.close)
  const tellTrouble = (message: string) => log.tell({ level: 'error', event: 'audit', message })
  const ownSink = auditFile === undefined ? undefined : await openAuditFile(auditFile, tellTrouble, toWords('audit'))
  closing.add(() => ownSink?.close())
  const redisPrefix = toTenantPrefix(flags.redisPrefix, name)
  const opened = await openVerifier(cli, { ...flags, policy, revocations, redisPrefix }, { log, tenant: name })
  closing.add(opened.close)
  const sink = ownSink ?? shared
  const audit = sink && startDecisionAudit(sink, now, name)
  closing.add(() => audit?.close())
  const { metrics, facts: verifierFacts } = opened
  if (ownSink) addAuditMetrics(metrics.registry, 'gatepass', ownSink)
  const { answers, introspect } = createAnswers({ ...opened, settings, audit, tracer })
  return {
    answers,
    metrics,
    facts: verifierFacts,
    posts: new Map([[introspectionPath, introspect], ...opened.events]),
    look() {
      written?.reopen()
      ownSink?.reopen()
      return opened.look()
    },
    close: () => closing.close(),
  }
}

function toWords(noun: 'audit' | 'log') {
  return { noun, setting: `"${noun}" of the tenant` }
}
