import { AggregatorRegistry, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { addAuditMetrics, addTlsGauges } from '../../../src/verify/server/metrics.ts'

/** The numbers of one process. */
async function collect(lost: number, isFailing: boolean, expiresAt: number, isRefused: boolean) {
  const registry = new Registry()
  addAuditMetrics(registry, 'gatepass', { lost: () => lost, isFailing: () => isFailing })
  addTlsGauges(registry, { state: () => ({ expiresAt, isRefused }) })
  return registry.getMetricsAsJSON()
}

test('of several processes, lost lines are added up, and the worst audit and the certificate that ends first count', async () => {
  const ofAll = AggregatorRegistry.aggregate([
    await collect(1, true, 2_000_000, true),
    await collect(2, true, 1_000_000, true),
  ])
  const lines = (await ofAll.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  expect(lines).toEqual([
    'gatepass_audit_lost_total 3',
    'gatepass_audit_failing 1',
    'gatepass_tls_certificate_expires_timestamp_seconds 1000',
    'gatepass_tls_files_refused 1',
  ])
})
