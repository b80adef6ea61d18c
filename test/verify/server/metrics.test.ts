import { AggregatorRegistry, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { addAuditMetrics, addTlsGauges, createMetrics } from '../../../src/verify/server/metrics.ts'
import { TokenRefusal } from '../../../src/verify/verdict.ts'

/** Collects the numbers of one process. */
async function collect(lost: number, isFailing: boolean, expiresAt: number, isRefused: boolean) {
  const registry = new Registry()
  addAuditMetrics(registry, 'gatepass', { lost: () => lost, isFailing: () => isFailing })
  addTlsGauges(registry, { state: () => ({ expiresAt, isRefused }) })
  return registry.getMetricsAsJSON()
}

test('lost lines of several processes are added up, and the worst audit and the certificate that ends first count', async () => {
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

test('answers are counted by result and reason, and reading the numbers does not change them', async () => {
  const facts = { policy: { loadedAt: 0, isFileRefused: false }, isReplayStoreAway: false, issuers: [] }
  const state = { cacheEntries: 0, inFlight: 0 }
  const { observe, registry } = createMetrics({ now: () => 0, state: () => state, facts: () => facts })
  const identity = { kind: 'jwt', issuer: 'i', subject: 's', claims: {}, issuedAt: 0, expiresAt: 1 } as const
  const accepted = { outcome: 'accepted', rule: 'all of us', headers: {}, identity } as const
  const refused = { outcome: 'refused', refusal: new TokenRefusal('expired') } as const
  observe({ verdict: accepted, source: 'verification', kind: 'jwt', ms: 1 })
  observe({ verdict: accepted, source: 'cache', kind: 'jwt', ms: 1 })
  observe({ verdict: accepted, source: 'cache', kind: 'jwt', ms: 1 })
  observe({ verdict: refused, source: 'verification', kind: undefined, ms: 1 })
  const read = async () =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => /^gatepass_verif.*_(total|count)/.test(line) && !line.endsWith(' 0'))
  await read()
  expect(await read()).toEqual([
    'gatepass_verifications_total{outcome="accepted",reason="",rule="all of us",kind="jwt",source="verification"} 1',
    'gatepass_verifications_total{outcome="accepted",reason="",rule="all of us",kind="jwt",source="cache"} 2',
    'gatepass_verifications_total{outcome="refused",reason="expired",rule="",kind="unknown",source="verification"} 1',
    'gatepass_verification_seconds_count{source="verification"} 2',
    'gatepass_verification_seconds_count{source="cache"} 2',
  ])
})
