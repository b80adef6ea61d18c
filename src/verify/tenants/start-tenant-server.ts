import type { RefusalReason } from '../../contract/refusal-reasons.ts'
import { type AnswerPost, rejectRequest } from '../server/admin-listener.ts'
import type { DecisionAudit } from '../server/decision-audit.ts'
import type { Log } from '../server/log.ts'
import { addTlsGauges, addTraceCounters, type Metrics, type VerifierFacts } from '../server/metrics.ts'
import {
  describeAnswer,
  describeMissingKeys,
  type RunningVerifier,
  type ServerSettings,
  startAnswering,
} from '../server/start-verifier-server.ts'
import type { Tracer } from '../server/tracer.ts'
import type { GatewayAnswers } from '../server/verifier-listener.ts'
import type { SpanSender } from '../sinks/span-sender.ts'
import { TokenRefusal } from '../verdict.ts'
import type { TenantMetrics } from './tenant-metrics.ts'
import { type FindTenant, noTenant } from './tenants-file.ts'

/** A tenant whose policy and files are usable. */
export interface OpenTenant {
  readonly answers: GatewayAnswers
  /** The handlers of `POST` at the operator's listener, by the path below the tenant's. */
  readonly posts: ReadonlyMap<string, AnswerPost>
  readonly metrics: Pick<Metrics, 'collectJson'>
  readonly facts: () => Pick<VerifierFacts, 'policy' | 'issuers'>
}

/** A tenant of the server, in service or not. */
export interface ServedTenant {
  readonly name: string
  /** `undefined` while it is out of service. */
  readonly current: () => OpenTenant | undefined
  /** Why it is out of service, in words. */
  readonly problem: () => string | undefined
  /** The paths at the operator's listener once the tenant is in service. */
  readonly paths: readonly string[]
  /** The records of the tenant's refusals while it is out of service. */
  readonly records: DecisionRecords
}

/** The log, audit and metrics of decisions. */
interface DecisionRecords {
  readonly log: Log
  readonly audit: DecisionAudit | undefined
  readonly tracer: Tracer | undefined
}

/** The tenants in service at one time, and how a request finds its tenant. */
export interface ServedTenants {
  /** The tenants by name. */
  readonly tenants: ReadonlyMap<string, ServedTenant>
  readonly findTenant: FindTenant
}

/**
 * Starts one server for several tenants. Every request without a tenant gets the same refusal, whatever token it has.
 * @throws {HelperError} `refused` for an address that cannot be used.
 */
export async function startTenantServer({
  served,
  metrics,
  settings,
  records,
  sender,
}: TenantServerParts): Promise<RunningVerifier> {
  if (sender) addTraceCounters(metrics.registry, sender)
  if (settings.tls) addTlsGauges(metrics.registry, settings.tls.files)
  const nobody = createRefusing('no-tenant', noTenant, records, metrics)
  return startAnswering({
    settings,
    metrics,
    log: records.log,
    choose(question, source) {
      const { tenants, findTenant } = served()
      const name = findTenant(question, source)
      const tenant = name === undefined ? undefined : tenants.get(name)
      if (!tenant) return nobody
      return tenant.current()?.answers ?? createRefusing('tenant-unavailable', tenant.name, tenant.records, metrics)
    },
    readiness: () => describeTenants([...served().tenants.values()]),
    posts: () => new Map([...served().tenants.values()].flatMap(listPosts)),
  })
}

interface TenantServerParts {
  /** A new object after each change of the tenants file. */
  readonly served: () => ServedTenants
  readonly metrics: TenantMetrics
  readonly settings: ServerSettings
  /** The records of requests without a tenant. */
  readonly records: DecisionRecords
  readonly sender: Pick<SpanSender, 'sent' | 'dropped'> | undefined
}

/** Creates answers that refuse every request with the same refusal. */
function createRefusing(
  reason: RefusalReason,
  tenant: string,
  { log, audit, tracer }: DecisionRecords,
  { noteRefusal }: TenantMetrics,
): GatewayAnswers {
  const verdict = { outcome: 'refused', refusal: new TokenRefusal(reason) } as const
  return {
    decideRequest(question) {
      tracer?.begin(question)
      return verdict
    },
    onAnswer(answered) {
      noteRefusal(reason, tenant)
      audit?.record(answered)
      tracer?.end(answered)
      log.tellBounded(describeAnswer(answered))
    },
  }
}

function listPosts({ name, paths, current }: ServedTenant): (readonly [string, AnswerPost])[] {
  return paths.map((path) => [
    `/tenants/${name}${path}`,
    async (request) => {
      const post = current()?.posts.get(path)
      return post ? post(request) : rejectRequest(503, 'this tenant is out of service')
    },
  ])
}

/**
 * Describes the state of each tenant in a line. The server is ready once it has requested the keys of every issuer and at least one tenant
 * is in service: one tenant cannot delay the others. Pure.
 */
export function describeTenants(tenants: readonly Pick<ServedTenant, 'name' | 'current' | 'problem'>[]): {
  readonly missing: readonly string[]
  readonly remarks: readonly string[]
} {
  const states = tenants.map(({ name, current, problem }) => {
    const facts = current()?.facts()
    const [away] = facts ? describeMissingKeys(facts) : []
    const isKept = facts?.policy.isFileRefused
    const text = facts
      ? (away ?? (isKept ? 'ready by an earlier policy: its file cannot be used' : 'ready'))
      : `out of service: ${problem() ?? 'it is being opened'}`
    const isPending = facts?.issuers.some(({ standing, failure }) => standing === 'none' && failure === undefined)
    return { line: `tenant ${name}: ${text}`, isReady: facts !== undefined && away === undefined, isPending }
  })
  const isNobodyReady = states.every(({ isReady }) => !isReady)
  const isPending = states.some((state) => state.isPending)
  return {
    missing: isPending || isNobodyReady ? [isPending ? 'keys are being fetched' : 'no tenant is ready'] : [],
    remarks: states.map(({ line }) => line),
  }
}
