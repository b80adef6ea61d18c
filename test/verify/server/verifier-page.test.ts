import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { refusalReasons } from '../../../src/contract/refusal-reasons.ts'
import { addIntrospectionMetrics } from '../../../src/verify/server/introspection-metrics.ts'
import { addRecipeGauge, addTlsGauges } from '../../../src/verify/server/metrics.ts'
import { createTracer } from '../../../src/verify/server/tracer.ts'
import { createTenantMetrics } from '../../../src/verify/tenants/tenant-metrics.ts'
import { startVerifierStage } from './verifier-stage.ts'

const readPage = () => readFile(join(root, 'docs/gateways/verifier.md'), 'utf8')

test('the page has every reason with its status', async () => {
  const rows = Object.entries(refusalReasons).map(
    ([reason, { status, summary }]) => `| \`${reason}\` | ${status} | ${summary} |`,
  )
  const page = await readPage()
  expect(page.match(/^\| `[a-z-]+` \| \d+ \| .* \|$/gm)).toEqual(rows)
})

test('the page has every metric of the verifier', async () => {
  const sender = { add: () => {}, sent: () => 0, dropped: () => 0 }
  const { admin, metrics: own } = await startVerifierStage({
    traces: { sender, tracer: createTracer({ sender, now: Date.now, namesSubject: false }) },
  })
  addTlsGauges(own.registry, { state: () => ({ expiresAt: 0, isRefused: false }) })
  addIntrospectionMetrics(own.registry, { states: () => [], size: () => 0 })
  addRecipeGauge(own.registry, { isDifferent: () => false })
  const ofTenants = createTenantMetrics(
    () => [],
    () => false,
  )
  const metrics = (await (await fetch(`${admin}/metrics`)).text()) + (await ofTenants.registry.metrics())
  const names = new Set(metrics.match(/(?<=^# TYPE )gatepass_\w+/gm))
  expect(new Set((await readPage()).match(/gatepass_\w+/g))).toEqual(names)
})
