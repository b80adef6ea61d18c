// Opens the parts of one verifier by its flags; `verify/verifier` decides about tokens.

import { setFlagsFromString } from 'node:v8'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { Fetch } from '../../../runtime/network/network-fetch.ts'
import type { NetworkSettings } from '../../../runtime/network/settings.ts'
import { createStreamFetch } from '../../../runtime/network/stream-fetch.ts'
import { createIssuerKeys } from '../../../verify/jwt/issuer-keys.ts'
import type { KeyFinder } from '../../../verify/jwt/key-finder.ts'
import type { Policy } from '../../../verify/policy/policy.ts'
import { type PolicyEvent, type PolicyState, startFollowingPolicy } from '../../../verify/policy/policy-follower.ts'
import { describePolicyErrors } from '../../../verify/policy/read-policy-file.ts'
import {
  createMemoryReplayStore,
  type ReplayStore,
  type ReplayStoreReport,
} from '../../../verify/replay/memory-replay-store.ts'
import { defaultRedisWaitMs, parseRedisAddress, readRedisPassword } from '../../../verify/replay/redis-address.ts'
import type { RequestLimits } from '../../../verify/request-limits.ts'
import { withoutRevokedKeys } from '../../../verify/revocation/revocations.ts'
import { createProofMemory } from '../../../verify/sender/verify-sender.ts'
import type { AnswerPost } from '../../../verify/server/admin-listener.ts'
import { createEventReceiver } from '../../../verify/server/event-receiver.ts'
import { addIntrospectionMetrics } from '../../../verify/server/introspection-metrics.ts'
import { isLocalAddress } from '../../../verify/server/listen-address.ts'
import { describeInForce, type Log, type LogEntry, openBoundedLog } from '../../../verify/server/log.ts'
import { createMetrics, type Metrics, type VerifierFacts } from '../../../verify/server/metrics.ts'
import { TokenRefusal } from '../../../verify/verdict.ts'
import { createVerifier } from '../../../verify/verifier/create-verifier.ts'
import type { Observation, Verifier } from '../../../verify/verifier/verifier.ts'
import type { Cli } from '../../cli.ts'
import { readNetwork } from '../../network.ts'
import { type Closing, closeOnFailure } from './closing.ts'
import { openIntrospection } from './open-introspection.ts'
import { openRequestLimits, tellUntoldAddresses } from './open-request-limits.ts'
import { openRevocations } from './open-revocations.ts'
import { isOneOfSeveral } from './processes.ts'
import { startIssuerWatch } from './start-issuer-watch.ts'
import type { PolicyFlags, VerifierFlags } from './verifier-flags.ts'

/**
 * Opens a verifier: the followed policy, the keys of its issuers, and the store of used tokens.
 * @throws {HelperError} for a policy or a file that cannot be used.
 */
export function openVerifier(cli: Cli, flags: ServedFlags, own?: OwnedParts): Promise<OpenedVerifier> {
  return closeOnFailure((closing) => open(cli, flags, closing, own))
}

async function open(cli: Cli, flags: ServedFlags, closing: Closing, own?: OwnedParts): Promise<OpenedVerifier> {
  const { host } = cli
  const { now } = host.clock
  refuseOpenStandIn(flags)
  setHeapGrowth()
  const log = own?.log ?? openLog(cli, flags)
  closing.add(log.close)
  const network = await readNetwork(host)
  const fetch = createStreamFetch({ network })
  const keys = createIssuerKeys({ fetch, now })
  const { policy, state, look, close } = await openPolicy(flags, { now, log })
  closing.add(close)
  const world = { host, network, log, policy }
  const { recorder, ...stores } = await openStores(flags, world, closing)
  const unrevokedKeys = withoutRevokedKeys(keys, stores.revocations)
  const introspection = await openIntrospection(flags, { ...world, policy: policy(), keys: unrevokedKeys })
  const issuers = startIssuerWatch({ keys, trusts: () => policy().jwt, log })
  closing.add(issuers.close)
  const verifier = createVerifier({
    ...stores,
    policy,
    keys,
    introspection,
    now,
    fetch: flags.stsStandIn ? createRedirectingFetch(flags.stsStandIn, fetch) : fetch,
    limits: { cacheSec: flags.cacheSec, cacheEntries: flags.cacheEntries },
    observe: (observation: Observation) => metrics.observe(observation),
  })
  const facts = () => collectFacts({ ...stores, keys, state })
  const metrics = createMetrics({ now, state: verifier.state, facts }, own?.tenant)
  addIntrospectionMetrics(metrics.registry, introspection)
  return {
    verifier,
    metrics,
    facts,
    log,
    network,
    policy,
    look,
    addressLimits: stores.requestLimits,
    events: recorder ? createEventReceiver({ source: recorder, policy, keys: unrevokedKeys, now, log }) : new Map(),
    close: () => closing.close(),
  }
}

/** A verifier with all its parts, by the flags of every server with a policy. */
export interface OpenedVerifier {
  readonly verifier: Verifier
  readonly metrics: Metrics
  readonly facts: () => VerifierFacts
  readonly log: Log
  readonly network: NetworkSettings
  /** The policy in force; a new object after each change. */
  readonly policy: () => Policy
  /** The handlers of the providers' events, by path; empty without a list of revocations. */
  readonly events: ReadonlyMap<string, AnswerPost>
  /** The limits of client addresses, for a server that gets addresses. */
  readonly addressLimits: Pick<RequestLimits, 'findAddressRefusal' | 'takeAddress'>
  /** Checks at once whether the policy has changed. */
  readonly look: () => Promise<void>
  close(): Promise<void>
}

/** The parts that each tenant's verifier has for itself. */
interface OwnedParts {
  readonly log: Log
  readonly tenant: string
}

/** The options of a server with a policy, and possibly with a gRPC listener. */
type ServedFlags = PolicyFlags & Partial<Pick<VerifierFlags, 'grpcListen' | 'processes' | 'requestFrom'>>

/** @param facts The first facts of every entry. */
export function openLog({ host, terminal }: Cli, flags: Pick<PolicyFlags, 'log'>, facts?: LogEntry['facts']): Log {
  const format = flags.log ?? (host.streams.attached() === 'terminal' ? 'text' : 'json')
  return openBoundedLog({ format, now: host.clock.now, write: (line) => terminal.tell(line), facts })
}

/** @throws {HelperError} `usage` for a trial server that other machines could mistake for a verifier. */
function refuseOpenStandIn({ stsStandIn, listen, adminListen, grpcListen }: ServedFlags): void {
  const isOpen = [listen, adminListen, grpcListen].some((address) => address !== undefined && !isLocalAddress(address))
  if (!stsStandIn || !isOpen) return
  throw new HelperError(
    'usage',
    'a verifier that asks a stand-in for AWS STS must not be reachable by other machines',
    'listen on 127.0.0.1 or a Unix socket, or remove --sts-stand-in',
  )
}

/**
 * Limits the growth of the heap. V8 would let the space for new objects grow to 64 MiB, and that for older objects by half or more between
 * two collections. A server gains nothing from it, because its objects live for one request, or as long as a cached token: without these
 * flags it used 50 MiB more, and was no faster. Both flags take effect with the next collection.
 */
function setHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=20')
}

/** Opens the file of the policy, follows it, and logs its changes. */
async function openPolicy(
  flags: ServedFlags,
  { now, log }: { readonly now: () => number; readonly log: Log },
): ReturnType<typeof startFollowingPolicy> {
  const followed = await startFollowingPolicy(flags.policy, {
    now,
    observe(event) {
      log.tell(describePolicyEvent(flags.policy, event))
      if (event.kind === 'replaced') tellUntoldAddresses(log, followed.policy(), flags)
    },
  })
  return followed
}

/** Opens the verifier's records, in this process or shared: used tokens and proofs, revocations, and the counts of requests. */
async function openStores(flags: ServedFlags, world: StoreWorld, closing: Closing): Promise<OpenedStores> {
  const { host, log, policy } = world
  const replay = await openReplayStore(flags, world)
  closing.add(replay.close)
  const isOnlyProcess = flags.redis === undefined && !isOneOfSeveral()
  const proofs = isOnlyProcess ? createProofMemory({ now: host.clock.now, entries: flags.replayEntries }) : replay
  const report = (event: ReplayStoreReport) => tellReport(log, event)
  const { revocations, recorder, close } = await openRevocations(flags, { ...world, report })
  closing.add(close)
  const requestLimits = await openRequestLimits(flags, { ...world, policy, report })
  closing.add(requestLimits.close)
  return { replay, proofs, revocations, recorder, requestLimits }
}

interface StoreWorld {
  readonly host: Host
  readonly network: NetworkSettings
  readonly log: Log
  readonly policy: () => Policy
}

interface OpenedStores extends Pick<Awaited<ReturnType<typeof openRevocations>>, 'revocations' | 'recorder'> {
  readonly replay: ReplayStore
  readonly proofs: ReplayStore
  readonly requestLimits: RequestLimits
}

/** Sends the same request to another address, with the signed host. */
function createRedirectingFetch({ origin }: URL, fetch: Fetch): Fetch {
  return (address, init) => {
    const { host, pathname, search } = new URL(address)
    const headers = new Headers(init.headers)
    headers.set('host', host)
    return fetch(`${origin}${pathname}${search}`, { ...init, headers })
  }
}

function collectFacts({ replay, revocations, requestLimits, keys, state }: FactSources): VerifierFacts {
  return {
    policy: toPolicyFacts(state()),
    isReplayStoreAway: !replay.isAvailable(),
    revocations: revocations.states(),
    issuers: keys.states(),
    limits: requestLimits.state(),
  }
}

interface FactSources extends Pick<OpenedStores, 'replay' | 'revocations' | 'requestLimits'> {
  readonly keys: Pick<KeyFinder, 'states'>
  readonly state: () => PolicyState
}

/**
 * Opens the store of used tokens: Redis if the flags name one, otherwise the memory of this process. One of several processes has no such
 * memory, because the others could not read it.
 * @throws {HelperError} for settings that cannot be used; a Redis that cannot be reached is only logged.
 */
async function openReplayStore(
  { redis, redisPasswordFile: file, redisPrefix: prefix, replayEntries: entries }: PolicyFlags,
  { host, network, log, policy }: StoreWorld,
): Promise<ReplayStore> {
  const { now } = host.clock
  if (redis === undefined && isOneOfSeveral()) return createAbsentReplayStore(policy)
  if (redis === undefined) return createMemoryReplayStore({ now, entries })
  const password = () => readRedisPassword(file, host.env)
  const settings = { address: parseRedisAddress(redis), password, network, prefix, waitMs: defaultRedisWaitMs }
  const { openRedisReplayStore } = await import('../../../verify/replay/open-redis-replay-store.ts')
  return openRedisReplayStore(settings, { now, report: (report) => tellReport(log, report) })
}

/**
 * Creates the store of several processes without Redis: it lets no single-use token pass.
 * @throws {HelperError} `usage` if the policy has a rule for single use at the start.
 */
function createAbsentReplayStore(policy: () => Policy): ReplayStore {
  const findRule = () => policy().rules.find(({ use }) => use === 'once')
  const rule = findRule()
  const note = 'several processes remember used tokens and proofs in Redis alone'
  const bound = policy().jwt.find(({ boundTo }) => boundTo?.includes('key'))
  const hint = 'name a Redis with --redis, or remove --processes'
  if (bound) throw new HelperError('usage', `${note}, and tokens of ${bound.issuer} come with proofs`, hint)
  if (rule) throw new HelperError('usage', `${note}, and rule "${rule.name}" accepts a token once`, hint)
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

function toPolicyFacts({ since, problem }: PolicyState): VerifierFacts['policy'] {
  return { loadedAt: since, isFileRefused: problem !== undefined }
}

/** Describes an event of the policy's file for the log; pure. */
export function describePolicyEvent(path: string, { kind, digest, ...event }: PolicyEvent): LogEntry {
  const facts = { policy: digest.slice(0, 12) }
  const findings = 'findings' in event ? event.findings : []
  switch (kind) {
    case 'loaded':
    case 'replaced': {
      const warnings = findings.filter(({ severity }) => severity === 'warning').length
      const message = describeInForce(path, kind)
      return { level: 'info', event: 'policy', message, facts: { ...facts, warnings: warnings || undefined } }
    }
    case 'recovered':
      return { level: 'info', event: 'policy', message: describeInForce(path, kind), facts }
    case 'kept': {
      const message = `${path} cannot be used, and the earlier policy stays in force: ${describePolicyErrors(findings)}`
      return { level: 'error', event: 'policy-refused', message, facts }
    }
  }
}
