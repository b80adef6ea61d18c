import { Counter, type Metric, Registry } from 'prom-client'
import type { RefusalReason } from '../../contract/refusal-reasons.ts'
import { verifications } from '../server/answer-metrics.ts'
import {
  addLabelledGauge,
  addRefusedFileGauge,
  createProcessRegistry,
  type Metrics,
  type MetricsJson,
} from '../server/metrics.ts'
import { noTenant } from './tenants-file.ts'

/** The metrics of a process with tenants: its own, and the metrics of each tenant with a label that names it. */
export interface TenantMetrics extends Pick<Metrics, 'render' | 'collectJson' | 'contentType'> {
  /** The metrics of the whole process. */
  readonly registry: Registry
  /** Counts a request that no tenant's verifier has answered. */
  noteRefusal(reason: RefusalReason, tenant: string): void
}

/**
 * Creates the metrics. The label of a tenant has only the names in the file and {@link noTenant} as its values.
 * @param tenants The current tenants.
 * @param isFileRefused Whether the tenants file cannot be used, so that an earlier one is in force.
 */
export function createTenantMetrics(
  tenants: () => readonly TenantNumbers[],
  isFileRefused: () => boolean,
): TenantMetrics {
  const registry = createProcessRegistry()
  const refusals = new Counter({
    ...verifications,
    labelNames: [...verifications.labelNames, 'tenant'],
    registers: [registry],
  })
  const noteRefusal = (reason: RefusalReason, tenant: string, step = 1) =>
    refusals.inc({ outcome: 'refused', reason, rule: '', kind: 'unknown', source: 'request', tenant }, step)
  // The series starts at 0, because Prometheus does not count its first value as an increase.
  noteRefusal('no-tenant', noTenant, 0)
  addRefusedFileGauge([registry], isFileRefused)
  addTenantGauge(registry, tenants)
  const collectJson = async () => {
    for (const { name } of tenants()) noteRefusal('tenant-unavailable', name, 0)
    const opened = tenants().flatMap(({ current }) => current() ?? [])
    const all = [registry.getMetricsAsJSON(), ...opened.map(({ metrics }) => metrics.collectJson())]
    return joinMetrics(await Promise.all(all))
  }
  return {
    registry,
    noteRefusal,
    collectJson,
    contentType: registry.contentType,
    async render() {
      const joined = new Registry()
      // `AggregatorRegistry` of prom-client omits metrics that it considers specific to one process.
      for (const metric of await collectJson())
        joined.registerMetric({ ...metric, get: async () => metric } as unknown as Metric) // `get` is the only member that the registry uses
      return joined.metrics()
    },
  }
}

interface TenantNumbers {
  readonly name: string
  /** `undefined` while the tenant is out of service. */
  readonly current: () => { readonly metrics: Pick<Metrics, 'collectJson'> } | undefined
}

/** Adds a gauge: which tenants are out of service. */
function addTenantGauge(registry: Registry, tenants: () => readonly TenantNumbers[]): void {
  const help = '1 while the policy or another file of a tenant cannot be used, so that its requests are refused'
  addLabelledGauge([registry], { name: 'gatepass_tenant_out_of_service', help, label: 'tenant' }, () =>
    tenants().map(({ name, current }) => [name, Number(current() === undefined)]),
  )
}

/** Joins the metrics of each name; pure. */
function joinMetrics(all: readonly MetricsJson[]): MetricsJson {
  const byName = Map.groupBy(all.flat(), ({ name }) => name)
  return [...byName.values()].map((same) => ({
    ...same[0]!,
    values: same.flatMap(({ values }) => values),
  })) as MetricsJson // metrics of one name have one type
}
