import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { CallOutcome } from '../../src/outcomes/call-outcome.ts'
import { toMetrics } from '../../src/outcomes/destinations/otlp-destination.ts'
import type { MetricsRequest } from '../../src/outcomes/destinations/send-metrics.ts'
import { startServed } from '../cli/bootstrap/served.ts'
import { startIssuerWithPolicy, startVerifierProcess } from '../cli/gateway/verifier/verifier-process.ts'
import { findFreePort, startGatewayProcess } from '../gateways/gateway-process.ts'
import { cachedOutcome } from '../setup/cached-outcome.ts'
import { listenDuringTest } from '../setup/listen-during-test.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { createAuthority } from '../stand-ins/tls/certificate.ts'
import { findNames, listQueries, observability, ruleFiles } from './shipped-files.ts'

test('a Prometheus that reads a verifier, a configuration server and a fleet has what each rule and panel names', async () => {
  const [verifier, served, fleet] = await Promise.all([startVerifier(), startServed({ documents: [{}] }), startFleet()])
  const tenants = await startTenants()
  const targets = { verifier: verifier.admin, tenants: tenants.admin, 'configuration-server': served.admin(), fleet }
  const query = await startPrometheus(targets)
  const recorded = Object.values(ruleFiles).flatMap((rules) => rules.flatMap(({ record }) => record ?? []))
  const findMissing = async () => {
    await Promise.all([verifier.ask(verifier.token), verifier.ask('wrong'), served.ask(), served.askWith('wrong')])
    await tenants.ask()
    const known = await readLabels(query)
    return [...recorded, 'gatepass_introspection_away'].filter((name) => !known.has(name))
  }
  await expect.poll(findMissing, { interval: 200, timeout: 60_000 }).toEqual([])
  const labels = await readLabels(query)
  const asked = listQueries().map(([where, expr]) => ({ where, ...findNames(expr) }))
  const wrong = asked.flatMap(({ where, metrics, groups }) => [
    ...metrics.flatMap(({ name, labels: named }) =>
      labels.has(name)
        ? named.filter((label) => !labels.get(name)!.has(label)).map((label) => `${where}: ${name} has no ${label}`)
        : [`${where}: there is no ${name}`],
    ),
    ...groups
      .filter((label) => !metrics.some(({ name }) => labels.get(name)?.has(label)))
      .map((label) => `${where}: nothing has ${label}`),
  ])
  expect(wrong).toEqual([])

  const rules = new Set(Object.keys(ruleFiles))
  const panels = listQueries().filter(([where]) => !rules.has(where.split(':')[0]!))
  const empty: string[] = []
  for (const [where, expr] of panels) {
    if (((await query('query', { query: expr })) as { result: unknown[] }).result.length === 0) empty.push(where)
  }
  expect({ empty, count: panels.length > 40 }).toEqual({ empty: [], count: true })
})

/** Starts a verifier with everything that has metrics. */
async function startVerifier() {
  const { policy, token, directory } = await startIssuerWithPolicy()
  const authority = createAuthority('Example Authority')
  const { cert, key } = authority.issue({ names: ['127.0.0.1'] })
  const paths = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem'), revoked: join(directory, 'r') }
  await writeFile(paths.cert, cert)
  await writeFile(paths.key, key, { mode: 0o600 })
  await writeFile(paths.revoked, '')
  const { addresses } = await startVerifierProcess(
    ...['--policy', policy, '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0'],
    ...['--tls-cert', paths.cert, '--tls-key', paths.key, '--revocations', paths.revoked],
    ...['--audit', join(directory, 'audit'), '--traces', 'http://127.0.0.1:1'],
  )
  const ask = async (bearer: string) => {
    const asked = request(addresses.listen, { ca: authority.cert, headers: { authorization: `Bearer ${bearer}` } })
    const [response] = await once(asked.end(), 'response')
    response.resume()
  }
  return { admin: addresses.admin!, ask, token }
}

/** Starts a verifier with a tenant whose provider is asked whether tokens are active. */
async function startTenants() {
  const { policy, directory, issuer, token } = await startIssuerWithPolicy()
  const { issuers, ...rest } = JSON.parse(await readFile(policy, 'utf8'))
  const introspection = { url: `${issuer.issuer}/introspect`, clientId: 'gateway', secretFile: 'secret' }
  await writeFile(policy, JSON.stringify({ ...rest, issuers: [{ ...issuers[0], introspection }] }))
  await writeFile(join(directory, 'secret'), 'made-up', { mode: 0o600 })
  const path = join(directory, 'tenants.json')
  await writeFile(path, JSON.stringify({ tenants: [{ name: 'red', hosts: ['red.example'], policy: 'policy.json' }] }))
  const { addresses } = await startVerifierProcess(
    ...['--tenants', path, '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0', '--request-from', 'x-forwarded'],
  )
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-host': 'red.example' }
  return { admin: addresses.admin!, ask: () => fetch(addresses.listen, { headers }) }
}

/** Serves what a collector would give Prometheus of a fleet (docs/outcome-destinations.md): totals that grow with each time that they are read. */
async function startFleet(): Promise<string> {
  let times = 0
  const server = createServer((_, response) => {
    times += 1
    const lines = Array.from({ length: 6 }, (_, index) => renderTotals(createDay(`pc-${index}`), times))
    response.end(lines.join(''))
  })
  return `http://127.0.0.1:${await listenDuringTest(server)}`
}

function createDay(machine: string): MetricsRequest {
  const time = 1_790_000_000_000
  const cached: CallOutcome = { ...cachedOutcome, time, helper: 'oidc-token', source: 'oidc-entra' }
  const outcomes: CallOutcome[] = [
    ...[cached, { ...cached, origin: 'mint', mintMs: 900 } as const, { ...cached, origin: 'kept' } as const],
    { ...cached, origin: undefined, outcome: 'late', status: 7, late: 'network', mintMs: 57_000 },
  ]
  return toMetrics({ outcomes, lost: 1, resource: { 'host.name': machine } }, time + 60_000)
}

/** Renders the names that the exporter for Prometheus makes: dots as underscores, the unit, `_total`; the machine as a label. */
function renderTotals({ resourceMetrics }: MetricsRequest, times: number): string {
  const toLabels = (attributes: readonly { key: string; value: object }[], more: string[] = []) =>
    [
      ...attributes.map(({ key, value }) => `${key.replaceAll('.', '_')}=${JSON.stringify(Object.values(value)[0])}`),
      ...more,
    ].join()
  return resourceMetrics
    .flatMap(({ resource, scopeMetrics }) =>
      scopeMetrics[0]!.metrics.flatMap((metric) => {
        const name = metric.name.replaceAll('.', '_')
        if ('sum' in metric)
          return metric.sum.dataPoints.map(
            ({ attributes, asInt }) =>
              `${name}_total{${toLabels([...resource.attributes, ...attributes])}} ${Number(asInt) * times}\n`,
          )
        return metric.histogram.dataPoints.flatMap(({ attributes, bucketCounts, explicitBounds }) => {
          let sum = 0
          return bucketCounts.map((count, index) => {
            sum += Number(count) * times
            const le = `le="${explicitBounds[index] ?? '+Inf'}"`
            return `${name}_seconds_bucket{${toLabels([...resource.attributes, ...attributes], [le])}} ${sum}\n`
          })
        })
      }),
    )
    .join('')
}

/** Debian's Prometheus with our rules, which reads the targets every second. @returns what asks its API. */
async function startPrometheus(targets: Readonly<Record<string, string>>) {
  const directory = await temporaryDirectory()
  const port = await findFreePort()
  await mkdir(join(directory, 'rules'))
  for (const name of Object.keys(ruleFiles)) {
    const text = await readFile(join(observability, 'prometheus', name), 'utf8')
    await writeFile(join(directory, 'rules', name), text.replace('interval: 1m', 'interval: 1s'))
  }
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules/*.yaml'],
    scrape_configs: Object.entries(targets).map(([job, url]) => ({
      job_name: job,
      static_configs: [{ targets: [new URL(url).host] }],
    })),
  }
  const path = join(directory, 'prometheus.yml')
  await writeFile(path, JSON.stringify(config)) // JSON is YAML
  const argv = [`--config.file=${path}`, `--storage.tsdb.path=${join(directory, 'data')}`]
  const { url, close } = await startGatewayProcess({
    command: '/usr/bin/prometheus',
    argv: [...argv, `--web.listen-address=127.0.0.1:${port}`],
    port,
    readErrors: async () => 'see: prometheus --config.file',
  })
  onTestFinished(close)
  return async (path: 'query' | 'series', parameters: Record<string, string>): Promise<unknown> => {
    const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters)}`)
    const { data, error } = (await response.json()) as { data: unknown; error?: string }
    if (error) throw new Error(`${error}: ${parameters.query}`)
    return data
  }
}

/** Reads the labels of each metric. */
async function readLabels(query: Awaited<ReturnType<typeof startPrometheus>>): Promise<Map<string, Set<string>>> {
  const series = (await query('series', { 'match[]': '{__name__=~".+"}' })) as Record<string, string>[]
  const labels = new Map<string, Set<string>>()
  for (const { __name__: name = '', ...others } of series)
    labels.set(name, new Set([...(labels.get(name) ?? []), ...Object.keys(others)]))
  return labels
}
