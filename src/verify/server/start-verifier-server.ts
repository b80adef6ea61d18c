// Folder: the verifier as a server: the listeners of gateways and of the operator, and the log.

import { refusalReasons } from '../../contract/refusal-reasons.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { Policy } from '../policy/policy.ts'
import type { SpanSender } from '../sinks/span-sender.ts'
import type { Observation, Verifier } from '../verifier/verifier.ts'
import { type AnswerPost, createAdminListener, type Readiness } from './admin-listener.ts'
import { createAuditGuard, type DecisionAudit, withGuard } from './decision-audit.ts'
import { createIntrospectionEndpoint, introspectionPath } from './introspection-endpoint.ts'
import { isLocalAddress, type ListenAddress } from './listen-address.ts'
import type { Log, LogEntry } from './log.ts'
import {
  addAuditMetrics,
  addRecipeGauge,
  addTlsGauges,
  addTraceCounters,
  type Metrics,
  type VerifierFacts,
} from './metrics.ts'
import { createRecipeWatch } from './recipe-watch.ts'
import { type ListenerSettings, type RunningServer, startListeners } from './start-listeners.ts'
import type { RequestSource } from './to-request-facts.ts'
import type { Tracer } from './tracer.ts'
import {
  type AnsweredRequest,
  type ChooseAnswers,
  createDecideRequest,
  createVerifierListener,
  type GatewayAnswers,
  type ListenerParts,
} from './verifier-listener.ts'

/** The settings of a verifier's server, with one policy or with tenants. */
export interface ServerSettings extends ListenerSettings {
  /** The address of Envoy's external authorization over gRPC. If absent, there is no such listener. */
  readonly grpcListen?: ListenAddress
  /** In lower case. */
  readonly tokenHeaders: readonly string[]
  readonly requestSource: RequestSource
  readonly introspectionSecret?: Secret
  /** Whether accepted requests are logged, including the caller. */
  readonly logAccepted: boolean
  /** Whether tokens pass while the audit cannot be written. */
  readonly auditFailing: AuditFailing
}

/** The treatment of tokens while the audit cannot be written. */
export type AuditFailing = 'pass' | 'refuse'

/** A verifier that listens over HTTP, and over gRPC if `grpcListen` is set. */
export interface RunningVerifier extends RunningServer {
  readonly grpcListen?: ListenAddress
  /** `https` if `listen` and `grpcListen` have TLS; `http` if absent. */
  readonly scheme?: 'http' | 'https'
}

/**
 * Starts the server.
 * @throws {HelperError} `refused` for an address that cannot be used.
 */
export async function startVerifierServer({
  facts,
  events = new Map(),
  traces,
  ...parts
}: ServerParts): Promise<RunningVerifier> {
  const { metrics, log, settings, audit } = parts
  addAuditMetrics(metrics.registry, 'gatepass', audit)
  const { answers, introspect } = createAnswers({ ...parts, tracer: traces?.tracer })
  const posts = new Map([[introspectionPath, introspect], ...events])
  if (traces) addTraceCounters(metrics.registry, traces.sender)
  if (settings.tls) addTlsGauges(metrics.registry, settings.tls.files)
  return startAnswering({
    settings,
    log,
    metrics,
    choose: () => answers,
    readiness: () => ({ missing: describeMissingKeys(facts()) }),
    posts: () => posts,
  })
}

interface ServerParts extends Omit<AnsweringParts, 'tracer'> {
  readonly facts: () => VerifierFacts
  /** The handlers of the providers' events at the operator's listener, by path. */
  readonly events?: ReadonlyMap<string, AnswerPost>
  /** Records the decisions as spans; absent without tracing. */
  readonly traces?: { readonly tracer: Tracer; readonly sender: Pick<SpanSender, 'sent' | 'dropped'> } | undefined
}

/** Creates the answers to gateways by one policy, over HTTP and gRPC, and the handler of `POST /introspect`. */
export function createAnswers({
  verifier: given,
  metrics,
  log,
  settings,
  audit,
  tracer,
  policy,
  addressLimits,
}: AnsweringParts): { readonly answers: GatewayAnswers; readonly introspect: AnswerPost } {
  const guard = audit && settings.auditFailing === 'refuse' ? createAuditGuard(audit) : undefined
  if (guard) metrics.setGuard(guard)
  const verifier = guard ? withGuard(given, guard) : given
  const recipes = policy && createRecipeWatch({ policy, log, now: Date.now })
  if (recipes) addRecipeGauge(metrics.registry, recipes)
  const onAnswer = (answered: AnsweredRequest) => {
    if (answered.question) recipes?.see(answered.question.rawHeaders)
    audit?.record(answered)
    tracer?.end(answered)
    if (answered.verdict.outcome === 'refused' || settings.logAccepted) log.tellBounded(describeAnswer(answered))
  }
  const observe = (observation: Observation) => metrics.observe(observation)
  const { tokenHeaders, introspectionSecret: secret, adminListen: address } = settings
  const decideRequest = createDecideRequest({
    verifier,
    tokenHeaders,
    observe,
    addressLimits,
    onQuestion: tracer?.begin,
  })
  const local = address && isLocalAddress(address) ? 'everybody' : 'nobody'
  const introspect = createIntrospectionEndpoint({ verifier, access: secret ? { secret } : local, onAnswer })
  return { answers: { decideRequest, onAnswer, policy }, introspect }
}

interface StartParts {
  readonly settings: ServerSettings
  readonly log: Log
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>
  readonly choose: ChooseAnswers
  readonly readiness: () => Omit<Readiness, 'isDraining'>
  /** The current handlers of `POST` at the operator's listener, by path. */
  readonly posts: () => ReadonlyMap<string, AnswerPost>
}

/** The parts that answer requests by one policy. */
interface AnsweringParts {
  readonly verifier: Verifier
  readonly metrics: Metrics
  readonly log: Log
  readonly settings: ServerSettings
  /** Records the decisions; absent without an audit. */
  readonly audit?: DecisionAudit | undefined
  readonly tracer?: Tracer | undefined
  /** The policy in force; absent for a server that gateways do not use. */
  readonly policy?: () => Policy
  /** Limits the requests without a good token for each client address; absent without a limit. */
  readonly addressLimits?: ListenerParts['addressLimits']
}

/**
 * Starts the listeners of gateways and of the operator.
 * @throws {HelperError} `refused` for an address that cannot be used.
 */
export async function startAnswering({
  settings,
  log,
  metrics,
  choose,
  readiness,
  posts,
}: StartParts): Promise<RunningVerifier> {
  const { tokenHeaders, requestSource, grpcListen: grpcAddress } = settings
  const listeners = await startListeners({
    settings,
    log,
    main: createVerifierListener(choose, requestSource),
    createAdmin: (isDraining) =>
      createAdminListener({ metrics, readiness: () => ({ isDraining: isDraining(), ...readiness() }), posts }),
  })
  const running = { ...listeners, scheme: settings.tls ? 'https' : 'http' } as const
  if (!grpcAddress) return running
  let isDraining = false
  const { startGrpcServer } = await import('./start-grpc-server.ts') // loaded on use, because the library is large
  const grpc = await startGrpcServer({
    choose,
    requestSource,
    tokenHeaders,
    settings: { ...settings, address: grpcAddress },
    isReady: () => !isDraining && readiness().missing.length === 0,
    log,
    tls: settings.tls,
  }).catch(async (failure) => {
    await running.drain() // otherwise the listener would keep a failed process alive
    throw failure
  })
  return {
    ...running,
    grpcListen: grpc.listen,
    async drain() {
      isDraining = true
      await Promise.all([grpc.drain(settings.drainSec), running.drain()])
    },
  }
}

/** Describes the issuers whose keys were never fetched, for the answer about readiness; pure. */
export function describeMissingKeys({ issuers }: Pick<VerifierFacts, 'issuers'>): string[] {
  const missing = issuers.filter(({ standing }) => standing === 'none')
  return missing.map(({ issuer }) => `the keys of ${issuer} have not been fetched yet`)
}

/**
 * Describes one answer for the log; pure. An entry about an accepted token names its owner, so it is written only if an option requests it.
 */
export function describeAnswer({ verdict, requestId, gatewayRequestId }: AnsweredRequest): LogEntry {
  if (verdict.outcome === 'accepted') {
    const { rule, identity } = verdict
    const { issuer, subject } = identity
    return {
      level: 'info',
      event: 'accepted',
      message: 'the token passes',
      facts: { rule, issuer, subject, gateway_request: gatewayRequestId },
    }
  }
  const { reason, detail, note } = verdict.refusal
  const { status, summary } = refusalReasons[reason]
  const level = status === 500 ? 'error' : 'warning'
  const request = { request: requestId, gateway_request: gatewayRequestId }
  return { level, event: 'refused', message: summary, facts: { status, reason, detail, note, ...request } }
}
