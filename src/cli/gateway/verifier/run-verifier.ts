import { readFile } from 'node:fs/promises'
import { HelperError } from '../../../runtime/failure.ts'
import { findProcessId, type Host } from '../../../runtime/host.ts'
import type { Fetch } from '../../../runtime/network/network-fetch.ts'
import type { NetworkSettings } from '../../../runtime/network/settings.ts'
import { createStreamFetch } from '../../../runtime/network/stream-fetch.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { readSecretFile } from '../../../sources/oauth/exchange/settings.ts'
import { createIssuerKeys } from '../../../verify/jwt/issuer-keys.ts'
import type { Policy } from '../../../verify/policy/policy.ts'
import { type PolicyEvent, type PolicyState, startFollowingPolicy } from '../../../verify/policy/policy-follower.ts'
import { describePolicyErrors } from '../../../verify/policy/read-policy-file.ts'
import {
  createMemoryReplayStore,
  type ReplayStore,
  type ReplayStoreReport,
} from '../../../verify/replay/memory-replay-store.ts'
import { defaultRedisWaitMs, parseRedisAddress, readRedisPassword } from '../../../verify/replay/redis-address.ts'
import { withoutRevokedKeys } from '../../../verify/revocation/revocations.ts'
import { type AuditSink, openAuditFile, openSystemAudit, systemLogger } from '../../../verify/server/audit-sinks.ts'
import { createDecisionAudit } from '../../../verify/server/decision-audit.ts'
import { type AnswerPost, createEventReceiver } from '../../../verify/server/event-receiver.ts'
import {
  type GivenAddress,
  isLocalAddress,
  type ListenAddress,
  renderListenAddress,
} from '../../../verify/server/listen-address.ts'
import { createLog, type Log, type LogEntry } from '../../../verify/server/log.ts'
import { createMetrics, type Metrics, type VerifierFacts } from '../../../verify/server/metrics.ts'
import type { ListenerSettings } from '../../../verify/server/start-listeners.ts'
import {
  type RunningVerifier,
  type ServerSettings,
  startVerifierServer,
} from '../../../verify/server/start-verifier-server.ts'
import { openNotifier, resolvePassedSocket } from '../../../verify/server/systemd.ts'
import { startFollowingTls, type TlsEvent, type TlsFiles } from '../../../verify/server/tls-files.ts'
import type { ListenerTls } from '../../../verify/server/tls-listener.ts'
import { TokenRefusal } from '../../../verify/verdict.ts'
import { createVerifier } from '../../../verify/verifier/create-verifier.ts'
import type { Observation, Verifier } from '../../../verify/verifier/verifier.ts'
import type { Cli } from '../../cli.ts'
import { readNetwork } from '../../network.ts'
import { waitForSignal } from '../../terminal.ts'
import type { PolicyFlags, VerifierFlags } from './flags.ts'
import { openRevocations } from './open-revocations.ts'
import { closeProcessChannel, createSharedMetrics, isOneOfSeveral, runProcesses } from './processes.ts'
import { startIssuerWatch } from './start-issuer-watch.ts'

/**
 * Serves until a signal ends it.
 * @throws {HelperError} for a policy, an address or a file that cannot be used.
 */
export async function runVerifier(cli: Cli, flags: VerifierFlags): Promise<void> {
  if (flags.processes > 1 && !isOneOfSeveral()) {
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
  const sink = await openAudit(flags, opened.log).catch(async (thrown) => {
    await opened.close()
    throw thrown
  })
  const audit = sink && createDecisionAudit(sink, cli.host.clock.now)
  let tls: ListenerTls | undefined
  try {
    const { verifier, facts, log, events } = opened
    const metrics = isOneOfSeveral() ? createSharedMetrics(opened.metrics, opened.look) : opened.metrics
    const listeners = await readListenerSettings(flags, cli.host.env)
    tls = tlsFiles && (await openTls(tlsFiles, flags, { now: cli.host.clock.now, log }))
    const settings = toServerSettings(flags, secret, {
      ...listeners,
      ...(tls && { tls }),
      ...(flags.grpcListen && { grpcListen: resolveAddress(flags.grpcListen, '--grpc-listen', cli.host.env) }),
    })
    const server = await startVerifierServer({ verifier, metrics, facts, log, settings, events, audit })
    const look = () => {
      sink?.reopen()
      return Promise.all([opened.look(), tls?.files.look()])
    }
    await serveUntilSignal(cli, server, { log, look, start: describeStart(server, flags) })
  } finally {
    tls?.files.close()
    audit?.close()
    await sink?.close()
    await opened.close()
  }
}

async function openAudit({ audit }: VerifierFlags, log: Log): Promise<AuditSink | undefined> {
  if (audit === undefined) return undefined
  const tellTrouble = (message: string) => log.tell({ level: 'error', event: 'audit', message })
  return audit === 'system' ? openSystemAudit(systemLogger, tellTrouble) : openAuditFile(audit, tellTrouble)
}

/** @throws {HelperError} `usage` for a certificate without its key, and what needs one. */
function toTlsFiles({ tlsCert: cert, tlsKey: key, clientCa, clientName }: VerifierFlags): TlsFiles | undefined {
  if (cert !== undefined && key !== undefined && (clientCa !== undefined || !clientName))
    return { cert, key, ...(clientCa !== undefined && { clientCa }) }
  if (cert === undefined && key === undefined && clientCa === undefined && !clientName) return undefined
  const isPair = cert !== undefined && key !== undefined
  throw new HelperError(
    'usage',
    isPair ? '--client-name needs --client-ca' : '--tls-cert, --tls-key, --client-ca and --client-name go together',
    isPair ? 'name the authority of the gateways with --client-ca' : 'give both --tls-cert and --tls-key',
  )
}

/** Opens the files of TLS, and logs their changes. @throws {HelperError} `not-configured` for files that cannot be used. */
async function openTls(
  files: TlsFiles,
  { clientName: clientNames = [] }: VerifierFlags,
  { now, log }: { readonly now: () => number; readonly log: Log },
): Promise<ListenerTls> {
  const observe = (event: TlsEvent) => log.tell(describeTlsEvent(files.cert, event))
  return { files: await startFollowingTls(files, { now, observe }), clientNames }
}

/** An event of the files of TLS as a line of the log; pure. */
function describeTlsEvent(path: string, event: TlsEvent): LogEntry {
  const facts = { expires: new Date(event.expiresAt).toISOString() }
  switch (event.kind) {
    case 'loaded':
      return { level: 'info', event: 'tls', message: `the certificate in ${path} is in force`, facts }
    case 'replaced':
      return { level: 'info', event: 'tls', message: `the certificate in ${path} has changed and is in force`, facts }
    case 'recovered':
      return { level: 'info', event: 'tls', message: `the certificate in ${path} is in force again`, facts }
    case 'kept': {
      const { message, hint } = event.failure
      const kept = `${message}; the earlier certificate stays in force`
      return { level: 'error', event: 'tls-refused', message: kept, facts: { ...facts, hint } }
    }
  }
}

/** The options of a server with a policy, where there may be a listener for gRPC. */
type ServedFlags = PolicyFlags & Partial<Pick<VerifierFlags, 'grpcListen' | 'processes'>>

/** A verifier with everything that it stands on, by the flags that every server with a policy has. */
export interface OpenedVerifier {
  readonly verifier: Verifier
  readonly metrics: Metrics
  readonly facts: () => VerifierFacts
  readonly log: Log
  /** The handlers of the events of providers, by path; empty without a list of revocations. */
  readonly events: ReadonlyMap<string, AnswerPost>
  /** Looks at once whether the policy has changed. */
  readonly look: () => Promise<void>
  close(): Promise<void>
}

/**
 * Opens a verifier: the policy that it follows, the keys of its issuers, and the store of used tokens.
 * @throws {HelperError} for a policy or a file that cannot be used.
 */
export async function openVerifier(cli: Cli, flags: ServedFlags): Promise<OpenedVerifier> {
  const { host } = cli
  const { now } = host.clock
  refuseOpenStandIn(flags)
  const log = openLog(cli, flags)
  const network = await readNetwork(host)
  const fetch = createStreamFetch({ network, silenceSec })
  const keys = createIssuerKeys({ fetch, now })
  const policy = await startFollowingPolicy(flags.policy, {
    now,
    observe: (event) => log.tell(describePolicyEvent(flags.policy, event)),
  })
  const replay = await openReplayStore(flags, { host, network, log, policy: policy.policy }).catch(
    (thrown: unknown) => {
      policy.close()
      throw thrown
    },
  )
  const tellRedis = (report: ReplayStoreReport) => tellReport(log, report)
  const opened = await openRevocations(flags, { host, network, log, report: tellRedis }).catch(async (thrown) => {
    policy.close()
    await replay.close()
    throw thrown
  })
  const { revocations, recorder: source } = opened
  const ofProviders = { policy: policy.policy, keys: withoutRevokedKeys(keys, revocations), now, log }
  const events = source ? createEventReceiver({ ...ofProviders, source }) : new Map()
  const issuers = startIssuerWatch({ keys, trusts: () => policy.policy().jwt, log })
  const stsFetch = flags.stsStandIn ? createRedirectingFetch(flags.stsStandIn, fetch) : fetch
  const limits = { cacheSec: flags.cacheSec, cacheEntries: flags.cacheEntries }
  const observe = (observation: Observation) => metrics.observe(observation)
  const verifier = createVerifier({
    ...{ policy: policy.policy, keys, fetch: stsFetch, replay, revocations, now, limits, observe },
  })
  const facts = () => ({
    policy: toPolicyFacts(policy.state()),
    isReplayStoreAway: !replay.isAvailable(),
    revocations: revocations.states(),
    issuers: keys.states(),
  })
  const metrics = createMetrics({ now, state: verifier.state, facts })
  return {
    ...{ verifier, metrics, facts, log, events, look: policy.look },
    async close() {
      issuers.close()
      opened.close()
      policy.close()
      await replay.close()
      log.close()
    },
  }
}

function openLog({ host, terminal }: Cli, flags: Pick<PolicyFlags, 'log'>): Log {
  const format = flags.log ?? (host.streams.attached() === 'terminal' ? 'text' : 'json')
  return createLog({ format, now: host.clock.now, write: (line) => terminal.tell(line) })
}

/** How long an issuer or AWS STS may be silent; what fetches has shorter limits of its own. */
const silenceSec = 10

/** @throws {HelperError} `usage` for a trial that other machines could take for a verifier. */
function refuseOpenStandIn({ stsStandIn, listen, adminListen, grpcListen }: ServedFlags): void {
  const isOpen = [listen, adminListen, grpcListen].some((address) => address !== undefined && !isLocalAddress(address))
  if (!stsStandIn || !isOpen) return
  throw new HelperError(
    'usage',
    'a verifier that asks a stand-in for AWS STS must not be reachable by other machines',
    'listen on 127.0.0.1 or a Unix socket, or remove --sts-stand-in',
  )
}

/** The same request, under the host that was signed, to another address. */
function createRedirectingFetch({ origin }: URL, fetch: Fetch): Fetch {
  return (address, init) => {
    const { host, pathname, search } = new URL(address)
    const headers = new Headers(init.headers)
    headers.set('host', host)
    return fetch(`${origin}${pathname}${search}`, { ...init, headers })
  }
}

interface ServedParts {
  readonly log: Log
  /** Runs on SIGHUP, and resolves when everything has been read again. */
  readonly look: () => Promise<unknown>
  /** The lines of the log with which the server begins. */
  readonly start: readonly LogEntry[]
}

/** Prints where the server listens, and ends it in order after the first signal. */
export async function serveUntilSignal(
  { host, terminal }: Cli,
  { listen, adminListen, grpcListen, scheme, drain }: RunningVerifier,
  { log, look, start }: ServedParts,
): Promise<void> {
  const signal = waitForSignal()
  const notifier = await openNotifier(toManagedProcess(host.env), log)
  const render = (address: ListenAddress) => renderListenAddress(address, scheme)
  const tellReady = () => notifier.ready(`answers at ${render(listen)}`)
  const reload = async () => {
    notifier.reloading()
    await look()
    tellReady()
  }
  process.on('SIGHUP', reload)
  const grpc = grpcListen && { grpc: render(grpcListen) }
  const admin = adminListen && { admin: renderListenAddress(adminListen) }
  terminal.print(`${JSON.stringify({ listen: render(listen), ...grpc, ...admin })}\n`)
  for (const entry of start) log.tell(entry)
  tellReady()
  log.tell({ level: 'info', event: 'ending', message: `${await signal}: requests in flight are answered` })
  notifier.stopping()
  await drain()
  notifier.close()
  process.off('SIGHUP', reload)
  log.tell({ level: 'info', event: 'ended', message: 'every connection is closed' })
}

function toServerSettings(
  { tokenHeader: tokenHeaders, logAccepted, auditFailing, requestFrom, modelHeader }: VerifierFlags,
  introspectionSecret: Secret | undefined,
  listeners: ListenerSettings & Pick<ServerSettings, 'grpcListen'>,
): ServerSettings {
  const logsAccepted = logAccepted === true
  return {
    ...{ ...listeners, tokenHeaders, logAccepted: logsAccepted, auditFailing },
    requestSource: { from: requestFrom, modelHeader },
    ...(introspectionSecret && { introspectionSecret }),
  }
}

/**
 * The settings of both listeners.
 * @throws {HelperError} `usage` for a group that this machine does not have, `not-configured` for a socket that systemd has not passed.
 */
export async function readListenerSettings(flags: PolicyFlags, env: Environment): Promise<ListenerSettings> {
  const { listen, adminListen, socketMode, socketGroup: group, drainSec } = flags
  const socketGroup = group === undefined ? undefined : await readGroupId(group)
  return {
    ...{ listen: resolveAddress(listen, '--listen', env), socketMode, socketGroup, drainSec },
    ...(adminListen && { adminListen: resolveAddress(adminListen, '--admin-listen', env) }),
  }
}

function resolveAddress(address: GivenAddress, option: string, env: Environment): ListenAddress {
  return resolvePassedSocket(address, option, toManagedProcess(env))
}

function toManagedProcess(env: Environment) {
  return { env, processId: isOneOfSeveral() ? process.ppid : findProcessId() }
}

function toPolicyFacts({ since, problem }: PolicyState): VerifierFacts['policy'] {
  return { loadedAt: since, isFileRefused: problem !== undefined }
}

/** An event of the policy's file as a line of the log; pure. */
export function describePolicyEvent(path: string, { kind, digest, ...event }: PolicyEvent): LogEntry {
  const facts = { policy: digest.slice(0, 12) }
  const findings = 'findings' in event ? event.findings : []
  switch (kind) {
    case 'loaded':
    case 'replaced': {
      const warnings = findings.filter(({ severity }) => severity === 'warning').length
      const message = kind === 'loaded' ? `${path} is in force` : `${path} has changed and is in force`
      return { level: 'info', event: 'policy', message, facts: { ...facts, warnings: warnings || undefined } }
    }
    case 'recovered':
      return { level: 'info', event: 'policy', message: `${path} is in force again`, facts }
    case 'kept': {
      const message = `${path} cannot be used, and the earlier policy stays in force: ${describePolicyErrors(findings)}`
      return { level: 'error', event: 'policy-refused', message, facts }
    }
  }
}

/** The lines of the log with which a server with a policy begins; pure. @param who Who asks, such as `gateways`. */
export function describeStart(
  { listen, adminListen, grpcListen, scheme }: Omit<RunningVerifier, 'drain'>,
  { policy, stsStandIn }: Pick<PolicyFlags, 'policy' | 'stsStandIn'>,
  who = 'gateways',
): LogEntry[] {
  const facts = {
    policy,
    grpc: grpcListen && renderListenAddress(grpcListen, scheme),
    admin: adminListen && renderListenAddress(adminListen),
  }
  const where = renderListenAddress(listen, scheme)
  const plain = scheme === 'https' ? [adminListen] : [listen, grpcListen, adminListen]
  const open = plain.filter((address) => address !== undefined && !isLocalAddress(address))
  return [
    { level: 'info', event: 'listening', message: `${who} ask at ${where}`, facts },
    ...open.map(
      (address): LogEntry => ({
        level: 'warning',
        event: 'open',
        message: `${renderListenAddress(address!)} can be reached by other machines, and nothing encrypts what they send`,
      }),
    ),
    ...(stsStandIn ? [describeStandIn(stsStandIn)] : []),
  ]
}

function describeStandIn({ origin }: URL): LogEntry {
  const message = `${origin} is asked instead of AWS STS: it is a stand-in for trials, and does not prove who its callers are`
  return { level: 'warning', event: 'sts-stand-in', message }
}

/**
 * Opens the store of used tokens: Redis if the flags name one, otherwise the memory of this process. One of several processes has no such
 * memory, since the others would not see it.
 * @throws {HelperError} for settings that cannot be used; a Redis that is away is only logged.
 */
async function openReplayStore(
  { redis, redisPasswordFile: file, redisPrefix: prefix, replayEntries: entries }: PolicyFlags,
  parts: { readonly host: Host; readonly network: NetworkSettings; readonly log: Log; readonly policy: () => Policy },
): Promise<ReplayStore> {
  const { host, network, log, policy } = parts
  const { now } = host.clock
  if (redis === undefined && isOneOfSeveral()) return createAbsentReplayStore(policy)
  if (redis === undefined) return createMemoryReplayStore({ now, entries })
  const password = () => readRedisPassword(file, host.env)
  const settings = { address: parseRedisAddress(redis), password, network, prefix, waitMs: defaultRedisWaitMs }
  const { openRedisReplayStore } = await import('../../../verify/replay/open-redis-replay-store.ts')
  return openRedisReplayStore(settings, { now, report: (report) => tellReport(log, report) })
}

/**
 * The store of several processes without Redis. No single-use token passes.
 * @throws {HelperError} `usage` if the policy has a rule that needs one at the start.
 */
function createAbsentReplayStore(policy: () => Policy): ReplayStore {
  const findRule = () => policy().rules.find(({ use }) => use === 'once')
  const rule = findRule()
  const note = 'several processes remember used tokens in Redis alone'
  if (rule)
    throw new HelperError(
      'usage',
      `${note}, and rule "${rule.name}" accepts a token once`,
      'name a Redis with --redis, or remove --processes',
    )
  return {
    use: () => Promise.reject(new TokenRefusal('replay-store-unavailable', { note })),
    isAvailable: () => findRule() === undefined,
    close: async () => {},
  }
}

function tellReport(log: Log, report: ReplayStoreReport): void {
  if (report.kind === 'available') {
    log.tell({ level: 'info', event: 'redis', message: 'Redis answers' })
    return
  }
  const { kind, message, hint } = report
  log.tell({ level: 'warning', event: kind === 'warning' ? 'redis' : 'redis-unavailable', message, facts: { hint } })
}

/**
 * The number of a group, from its name in `/etc/group` or as it is given.
 * @throws {HelperError} `usage` for a name that is not there.
 */
export async function readGroupId(group: string, file = '/etc/group'): Promise<number> {
  if (/^\d{1,9}$/.test(group)) return Number(group)
  const text = await readFile(file, 'utf8').catch(() => '') // where there is no such file, only numbers are known
  const row = text.split('\n').find((line) => line.startsWith(`${group}:`))
  const id = row?.split(':')[2]
  if (group !== '' && id !== undefined && /^\d+$/.test(id)) return Number(id)
  throw new HelperError(
    'usage',
    `${file} has no group "${group}"`,
    'correct --socket-group, or give the number of the group, such as from: getent group',
  )
}
