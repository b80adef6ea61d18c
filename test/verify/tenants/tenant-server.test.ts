import { expect, onTestFinished, test } from 'vitest'
import { startDecisionAudit } from '../../../src/verify/server/decision-audit.ts'
import { openBoundedLog } from '../../../src/verify/server/log.ts'
import { createMetrics, type VerifierFacts } from '../../../src/verify/server/metrics.ts'
import { createAnswers, type ServerSettings } from '../../../src/verify/server/start-verifier-server.ts'
import {
  describeTenants,
  type OpenTenant,
  type ServedTenant,
  startTenantServer,
} from '../../../src/verify/tenants/start-tenant-server.ts'
import { createTenantMetrics } from '../../../src/verify/tenants/tenant-metrics.ts'
import { createFindTenant } from '../../../src/verify/tenants/tenants-file.ts'
import { createCheckClient } from '../server/ask-check.ts'
import { createMadeUpVerifier, start } from '../verifier/made-up-checks.ts'

const local = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const
const settings: ServerSettings = {
  listen: local,
  adminListen: local,
  grpcListen: local,
  socketMode: 0o660,
  drainSec: 0,
  tokenHeaders: ['authorization'],
  requestSource: { from: 'x-forwarded' },
  logAccepted: false,
  auditFailing: 'pass',
}

type Issuers = VerifierFacts['issuers']
const issuer: Issuers[number] = {
  issuer: 'https://idp.example',
  standing: 'fresh',
  keys: 1,
  fetchedAt: start,
  failure: undefined,
}

/** Starts the tenants red and blue with made-up checks, and green, which is out of service. */
async function startStage() {
  const lines: string[] = []
  const audited: Record<string, unknown>[] = []
  const sink = { write: (line: string) => audited.push(JSON.parse(line)), lost: () => 0, isFailing: () => false }
  const now = () => start
  const openLog = (tenant?: string) =>
    openBoundedLog({ format: 'json', now, write: (line) => lines.push(line), ...(tenant && { facts: { tenant } }) })
  const asked: Record<string, string[]> = {}
  const open = (name: string): OpenTenant => {
    const made = createMadeUpVerifier({ observe: (observation) => metrics.observe(observation) })
    asked[name] = made.asked
    const facts = () => ({
      policy: { loadedAt: start, isFileRefused: false },
      isReplayStoreAway: false,
      issuers: [issuer],
    })
    const metrics = createMetrics({ now, state: made.verifier.state, facts }, name)
    const audit = startDecisionAudit(sink, now, name)
    const { answers, introspect } = createAnswers({ ...made, metrics, log: openLog(name), settings, audit })
    return { answers, metrics, facts, posts: new Map([['/introspect', introspect]]) }
  }
  const toTenant = (name: string, opened: OpenTenant | undefined): ServedTenant => ({
    name,
    current: () => opened,
    problem: () => (opened ? undefined : 'there is no green.json'),
    paths: ['/introspect'],
    records: { log: openLog(name), audit: startDecisionAudit(sink, now, name), tracer: undefined },
  })
  const tenants = [toTenant('red', open('red')), toTenant('blue', open('blue')), toTenant('green', undefined)]
  const listed = tenants.map(({ name }) => ({ name, hosts: [`${name}.example`], policy: '', revocations: [] }))
  const served = {
    tenants: new Map(tenants.map((tenant) => [tenant.name, tenant])),
    findTenant: createFindTenant({ tenants: listed }),
  }
  const server = await startTenantServer({
    served: () => served,
    settings,
    sender: undefined,
    metrics: createTenantMetrics(
      () => tenants,
      () => false,
    ),
    records: { log: openLog(), audit: startDecisionAudit(sink, now), tracer: undefined },
  })
  onTestFinished(() => server.drain())
  const port = (address = server.listen) => (address.kind === 'tcp' ? address.port : 0)
  const admin = `http://127.0.0.1:${port(server.adminListen)}`
  const ask = async (host: string | undefined, token = 'a.b.c') => {
    const headers = { authorization: `Bearer ${token}`, ...(host !== undefined && { 'x-forwarded-host': host }) }
    const answer = await fetch(`http://127.0.0.1:${port()}/v1/messages`, { headers })
    const { date: _, connection: _2, 'keep-alive': _3, ...rest } = Object.fromEntries(answer.headers)
    return { status: answer.status, headers: rest, body: (await answer.text()).replace(/req_[\w-]+/, 'req_ID') }
  }
  return { ask, admin, asked, lines, audited, grpc: createCheckClient(`127.0.0.1:${port(server.grpcListen)}`) }
}

const refused = (status: number, type: string, reason: string, message: string) => {
  const body = JSON.stringify({ type: 'error', error: { type, message, reason }, request_id: 'req_ID' })
  const length = String(body.length - 'req_ID'.length + 'req_'.length + 36)
  const headers = {
    'cache-control': 'no-store',
    'content-length': length,
    'content-type': 'application/json',
    'gatepass-refusal': reason,
  }
  return { status, headers, body }
}
const nobodys = refused(403, 'permission_error', 'no-tenant', 'no policy is for this request')
const away = refused(503, 'api_error', 'tenant-unavailable', 'the policy for this request cannot be used now')

test('each tenant decides about its own requests', async () => {
  const { ask, asked } = await startStage()
  const answers = [await ask('red.example'), await ask('BLUE.example:443', 'b.once.c')]
  expect({ statuses: answers.map(({ status }) => status), asked }).toEqual({
    statuses: [200, 200],
    asked: { red: ['a.b.c'], blue: ['b.once.c'] },
  })
})

test('requests without a tenant get one answer, and no tenant is asked', async () => {
  const { ask, asked } = await startStage()
  const answers = []
  for (const host of [undefined, 'other.example', 'red.example.', 'red.example,blue.example'])
    for (const token of ['a.b.c', 'not a token']) answers.push(await ask(host, token))
  expect({ answers, ofGreen: await ask('green.example'), asked }).toEqual({
    answers: Array(8).fill(nobodys),
    ofGreen: away,
    asked: { red: [], blue: [] },
  })
})

test('a token that is accepted once is not used up by another tenant', async () => {
  const { ask } = await startStage()
  const statuses = []
  for (const name of ['red', 'blue', 'red', 'blue']) statuses.push((await ask(`${name}.example`, 'a.once.c')).status)
  expect(statuses).toEqual([200, 200, 401, 401])
})

test('over gRPC the host that Envoy states beside the headers decides', async () => {
  const { grpc, asked } = await startStage()
  const headers = { authorization: 'Bearer a.b.c', host: 'red.example', 'x-forwarded-host': 'red.example' }
  const statuses = []
  for (const host of ['blue.example', 'Blue.example:443', 'other.example', ''])
    statuses.push(((await grpc.check({ headers, host })) as { status: { code?: number } }).status.code ?? 0)
  expect({ statuses, asked }).toEqual({ statuses: [0, 0, 7, 7], asked: { red: [], blue: ['a.b.c'] } })
})

/** Starts a stage after one request to each tenant, and one to nobody. */
async function startAsked() {
  const stage = await startStage()
  for (const host of ['red.example', 'blue.example', 'green.example', 'other.example'])
    await stage.ask(host, host.startsWith('blue') ? 'a.refused-signature.c' : 'a.b.c')
  return stage
}

test('the log names the tenant of each line, or none', async () => {
  const { lines } = await startAsked()
  const told = lines.map((line) => JSON.parse(line)).map(({ tenant, event, reason }) => ({ tenant, event, reason }))
  expect(told).toEqual([
    { tenant: 'blue', event: 'refused', reason: 'signature' },
    { tenant: 'green', event: 'refused', reason: 'tenant-unavailable' },
    { tenant: undefined, event: 'refused', reason: 'no-tenant' },
  ])
})

test('the audit names the tenant of each line, or none', async () => {
  const { audited } = await startAsked()
  const request = expect.any(String)
  const line = { time: start, audit: 'decision', outcome: 'refused', request }
  expect(audited).toEqual([
    {
      tenant: 'red',
      time: start,
      audit: 'decision',
      outcome: 'accepted',
      rule: 'staff',
      issuer: 'https://idp.example',
      subject: 'a-b-c',
      host: 'red.example',
    },
    { tenant: 'blue', ...line, reason: 'signature', host: 'blue.example' },
    { tenant: 'green', ...line, reason: 'tenant-unavailable', host: 'green.example' },
    { ...line, reason: 'no-tenant', host: 'other.example' },
  ])
})

test('the metrics have a label for each tenant, with no other values than the names', async () => {
  const { ask, admin } = await startStage()
  for (const host of ['red.example', 'red.example', 'blue.example', 'green.example', 'other.example', 'x.example'])
    await ask(host)
  const text = await (await fetch(`${admin}/metrics`)).text()
  const rows = text.split('\n').filter((row) => /^gatepass_(verifications_total|tenant|processes)/.test(row))
  expect({
    rows: rows.filter((row) => !row.endsWith(' 0')),
    tenants: new Set(text.match(/(?<=tenant=")[^"]*/g)),
  }).toEqual({
    rows: [
      'gatepass_processes 1',
      'gatepass_verifications_total{outcome="refused",reason="no-tenant",rule="",kind="unknown",source="request",tenant="none"} 2',
      'gatepass_verifications_total{outcome="refused",reason="tenant-unavailable",rule="",kind="unknown",source="request",tenant="green"} 1',
      'gatepass_verifications_total{outcome="accepted",reason="",rule="staff",kind="jwt",source="verification",tenant="red"} 1',
      'gatepass_verifications_total{outcome="accepted",reason="",rule="staff",kind="jwt",source="cache",tenant="red"} 1',
      'gatepass_verifications_total{outcome="accepted",reason="",rule="staff",kind="jwt",source="verification",tenant="blue"} 1',
      'gatepass_tenant_out_of_service{tenant="green"} 1',
    ],
    tenants: new Set(['none', 'red', 'blue', 'green']),
  })
})

test('each metric is described once for all tenants', async () => {
  const { admin } = await startStage()
  const text = await (await fetch(`${admin}/metrics`)).text()
  const names = text.match(/(?<=^# TYPE )\w+/gm) ?? []
  expect(names).toEqual([...new Set(names)])
})

test('the operator asks each tenant by a path of its own', async () => {
  const { admin } = await startStage()
  const ask = async (path: string) => {
    const answer = await fetch(`${admin}${path}`, { method: 'POST', body: new URLSearchParams({ token: 'a.b.c' }) })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const { status, body } = await ask('/tenants/red/introspect')
  const error = (type: string, message: string) => ({
    type: 'error',
    error: { type, message },
    request_id: 'req_admin',
  })
  expect({
    red: { status, active: body.active, subject: body.sub },
    green: await ask('/tenants/green/introspect'),
    none: (await ask('/introspect')).status,
  }).toEqual({
    red: { status: 200, active: true, subject: 'a-b-c' },
    green: { status: 503, body: error('api_error', 'this tenant is out of service') },
    none: 404,
  })
})

test('the readiness of the server names the state of each tenant', async () => {
  const { admin, grpc } = await startStage()
  const ready = await fetch(`${admin}/readyz`)
  expect({ status: ready.status, text: await ready.text(), health: await grpc.health('') }).toEqual({
    status: 200,
    text: 'ready\ntenant red: ready\ntenant blue: ready\ntenant green: out of service: there is no green.json\n',
    health: { status: 1 },
  })
})

const toState = (name: string, issuers: Issuers | undefined, isFileRefused = false) => ({
  name,
  current: () => issuers && ({ facts: () => ({ policy: { loadedAt: 0, isFileRefused }, issuers }) } as OpenTenant), // the rest is not read
  problem: () => (issuers ? undefined : 'it has no policy'),
})
const asked: Issuers[number] = { ...issuer, standing: 'none', failure: new Error('away') }
const unasked: Issuers[number] = { ...issuer, standing: 'none' }

test.each<[what: string, tenants: ReturnType<typeof toState>[], missing: string[], remarks: string[]]>([
  [
    'an issuer that is away keeps no other tenant from being served',
    [toState('red', [issuer]), toState('blue', [asked])],
    [],
    ['tenant red: ready', 'tenant blue: the keys of https://idp.example have not been fetched yet'],
  ],
  [
    'keys that were not asked for yet are waited for',
    [toState('red', [issuer]), toState('blue', [unasked])],
    ['keys are being fetched'],
    ['tenant red: ready', 'tenant blue: the keys of https://idp.example have not been fetched yet'],
  ],
  [
    'nobody can be answered',
    [toState('red', [asked]), toState('blue', undefined)],
    ['no tenant is ready'],
    [
      'tenant red: the keys of https://idp.example have not been fetched yet',
      'tenant blue: out of service: it has no policy',
    ],
  ],
  [
    'an earlier policy is in force',
    [toState('red', [issuer], true)],
    [],
    ['tenant red: ready by an earlier policy: its file cannot be used'],
  ],
])('%s', (_, tenants, missing, remarks) => {
  expect(describeTenants(tenants)).toEqual({ missing, remarks })
})
