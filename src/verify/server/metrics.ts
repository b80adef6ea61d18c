import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { commit, version } from '../../version.ts'
import type { RequestLimitsState } from '../request-limits.ts'
import type { RevocationState } from '../revocation/revocations.ts'
import type { SpanSender } from '../sinks/span-sender.ts'
import type { Verdict } from '../verdict.ts'
import type { Observation, VerifierState } from '../verifier/verifier.ts'
import { addCounts, addDurations } from './answer-metrics.ts'
import type { DecisionAudit } from './decision-audit.ts'
import { type RecipeWatch, rememberedMs } from './recipe-watch.ts'
import type { TlsFollower } from './tls-files.ts'

/** Counts verdicts, and renders all metrics for Prometheus. */
export interface Metrics {
  observe(observation: Observation): void
  /** From now on, counts the verdicts that this guard returns. */
  setGuard(guard: (verdict: Verdict) => Verdict): void
  render(): Promise<string>
  /** The metrics in a form in which several registries can be joined. */
  collectJson(): Promise<MetricsJson>
  /** The registry, for further metrics of the same server. */
  readonly registry: Registry
  readonly contentType: string
}

/** The metrics of a registry in a form that another process can receive. */
export type MetricsJson = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/**
 * Creates metrics with a registry of their own, so that one process can have several verifiers.
 * @param tenant The label of each metric, without the metrics of the whole process; absent without tenants.
 */
export function createMetrics(parts: MetricsParts, tenant?: string): Metrics {
  const registry = tenant === undefined ? createProcessRegistry() : new Registry()
  if (tenant !== undefined) registry.setDefaultLabels({ tenant })
  const registers = [registry]
  const [noteVerdict, noteDuration] = [addCounts(registers), addDurations(registers)]
  addGauges(registers, parts)
  let guard = (verdict: Verdict) => verdict
  return {
    observe(observation) {
      const verdict = guard(observation.verdict)
      noteVerdict(verdict === observation.verdict ? observation : { ...observation, verdict })
      noteDuration(observation)
    },
    setGuard(next) {
      guard = next
    },
    render: () => registry.metrics(),
    collectJson: () => registry.getMetricsAsJSON(),
    registry,
    contentType: registry.contentType,
  }
}

interface MetricsParts {
  readonly now: () => number
  readonly state: () => VerifierState
  readonly facts: () => VerifierFacts
}

export function createProcessRegistry(): Registry {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const build = {
    name: 'gatepass_build_info',
    help: 'The version, and what it was built from',
    aggregator: 'first',
  } as const
  new Gauge({ ...build, labelNames: ['version', 'commit'], registers }).set({ version, commit }, 1)
  addGauge(registers, 'gatepass_processes', 'Processes that answer at the same address', () => 1, 'sum')
  return registry
}

/** Adds a gauge: 1 while the present policy file or tenants file is not in force. */
export function addRefusedFileGauge(registers: Registry[], isRefused: () => boolean): void {
  const help = '1 while the file on disk cannot be used and an earlier one is in force'
  addGauge(registers, 'gatepass_policy_file_refused', help, () => Number(isRefused()))
}

/**
 * Adds a gauge that reads its value when it is collected. If several processes share an address, the worst value counts, or the values are
 * added.
 */
export function addGauge(
  registers: Registry[],
  name: string,
  help: string,
  measure: () => number,
  aggregator: 'max' | 'min' | 'sum' = 'max',
): void {
  new Gauge({
    name,
    help,
    registers,
    aggregator,
    collect() {
      this.set(measure())
    },
  })
}

/** Adds gauges of the verifier's own state. */
function addGauges(registers: Registry[], { now, state, facts }: MetricsParts): void {
  const add = addGauge.bind(undefined, registers)
  add('gatepass_cache_entries', 'Tokens that are remembered', () => state().cacheEntries, 'sum')
  add('gatepass_verifications_in_flight', 'Tokens that are being verified', () => state().inFlight, 'sum')
  add('gatepass_policy_age_seconds', 'Since the policy in force was read', () =>
    computeAge(now(), facts().policy.loadedAt),
  )
  addRefusedFileGauge(registers, () => facts().policy.isFileRefused)
  add('gatepass_replay_store_away', '1 while no token that is accepted once passes', () =>
    Number(facts().isReplayStoreAway),
  )
  add('gatepass_limited_callers', 'Callers whose requests are counted', () => facts().limits?.callers ?? 0, 'sum')
  add(
    'gatepass_limited_addresses',
    'Client addresses whose requests without a good token are counted',
    () => facts().limits?.addresses ?? 0,
    'sum',
  )
  add('gatepass_limits_away', '1 while each process counts alone because Redis does not answer', () =>
    Number(facts().limits?.isSharedAway ?? false),
  )
  addRevocationGauges(registers, facts)
  addIssuerGauges(registers, { now, facts })
}

function computeAge(now: number, at: number | undefined): number {
  return at === undefined ? Number.NaN : (now - at) / 1000
}

function addRevocationGauges(registers: Registry[], facts: MetricsParts['facts']): void {
  const add = (name: string, help: string, measure: (state: RevocationState) => number) =>
    addLabelledGauge(registers, { name, help, label: 'source' }, () =>
      (facts().revocations ?? []).map((each) => [each.source, measure(each)]),
    )
  add('gatepass_revocations', 'Entries of a list of revocations', ({ entries }) => entries)
  add('gatepass_revocations_unknown', '1 while such a list cannot be read', ({ problem }) =>
    Number(problem !== undefined),
  )
}

/** Adds a gauge with a value for each label that there is when it is collected. */
export function addLabelledGauge(
  registers: Registry[],
  { name, help, label }: { readonly name: string; readonly help: string; readonly label: string },
  listValues: () => readonly (readonly [label: string, value: number])[],
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers,
    aggregator: 'max',
    collect() {
      this.reset() // a label may be gone, such as an issuer that the policy had before
      for (const [text, value] of listValues()) this.set({ [label]: text }, value)
    },
  })
}

function addIssuerGauges(registers: Registry[], { now, facts }: Pick<MetricsParts, 'now' | 'facts'>): void {
  const add = (name: string, help: string, measure: (issuer: VerifierFacts['issuers'][number]) => number) =>
    addLabelledGauge(registers, { name, help, label: 'issuer' }, () =>
      facts().issuers.map((each) => [each.issuer, measure(each)]),
    )
  add('gatepass_issuer_keys', 'Keys of an issuer that can be used', ({ keys }) => keys)
  add('gatepass_issuer_keys_age_seconds', 'Since they were fetched; NaN before', ({ fetchedAt }) =>
    computeAge(now(), fetchedAt),
  )
  add('gatepass_issuer_away', '1 while an issuer gives no keys', ({ failure }) => Number(failure !== undefined))
}

/**
 * Adds the state of an audit; zero without one.
 * @param prefix The beginning of the metrics' names.
 */
export function addAuditMetrics(
  registry: Registry,
  prefix: 'gatepass' | 'gatepass_bootstrap',
  audit: Pick<DecisionAudit, 'lost' | 'isFailing'> | undefined,
): void {
  const [lost, failing] = [`${prefix}_audit_lost_total`, `${prefix}_audit_failing`]
  addCounter(registry, lost, 'Lines of the audit that could not be written', () => audit?.lost() ?? 0)
  addGauge([registry], failing, '1 while the audit cannot be written', () => Number(audit?.isFailing() ?? false))
}

export function addTraceCounters(registry: Registry, sender: Pick<SpanSender, 'sent' | 'dropped'>): void {
  addCounter(registry, 'gatepass_trace_spans_sent_total', 'Spans that the collector has taken', () => sender.sent())
  const help = 'Spans that were dropped, because the queue was full or the collector did not take them'
  addCounter(registry, 'gatepass_trace_spans_dropped_total', help, () => sender.dropped())
}

/** Adds a counter whose value another part counts. */
function addCounter(registry: Registry, name: string, help: string, measure: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset()
      this.inc(measure())
    },
  })
}

/** Adds a gauge: whether the configurations of the gateways were made from the policy in force. */
export function addRecipeGauge(registry: Registry, { isDifferent }: Pick<RecipeWatch, 'isDifferent'>): void {
  const help = `1 if a gateway has asked in the last ${rememberedMs / 60_000} minutes with a configuration that was made from another policy`
  addGauge([registry], 'gatepass_recipe_differs', help, () => Number(isDifferent()))
}

/** Adds gauges of the server's own certificate. */
export function addTlsGauges(registry: Registry, { state }: Pick<TlsFollower, 'state'>): void {
  const add = addGauge.bind(undefined, [registry])
  const expiry = 'When the certificate in force expires, in seconds since 1970'
  add('gatepass_tls_certificate_expires_timestamp_seconds', expiry, () => state().expiresAt / 1000, 'min')
  const refused = '1 while the files on disk cannot be used and an earlier certificate is in force'
  add('gatepass_tls_files_refused', refused, () => Number(state().isRefused), 'max')
}

/** Facts about a running verifier apart from its verdicts, for readiness and metrics. Times are epoch milliseconds. */
export interface VerifierFacts {
  readonly policy: {
    readonly loadedAt: number
    /** Whether the present file cannot be used, so that an earlier one is in force. */
    readonly isFileRefused: boolean
  }
  /** Whether the store of used tokens gives no answer, so that no single-use token passes. */
  readonly isReplayStoreAway: boolean
  /** The sizes of the tables of requests; absent without limits. */
  readonly limits?: RequestLimitsState
  /** The sources of revocations; absent without one. */
  readonly revocations?: readonly RevocationState[]
  /** The issuers of JWTs in the policy. */
  readonly issuers: readonly {
    readonly issuer: string
    /** `none`: the issuer never gave any keys, or has given no answer for too long. */
    readonly standing: 'fresh' | 'kept' | 'none'
    readonly keys: number
    readonly fetchedAt: number | undefined
    /** Set while the last request for keys failed. */
    readonly failure: object | undefined
  }[]
}
