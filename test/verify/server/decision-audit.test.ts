import { expect, test } from 'vitest'
import { startDecisionAudit } from '../../../src/verify/server/decision-audit.ts'
import type { Metrics } from '../../../src/verify/server/metrics.ts'
import type { RequestDescription } from '../../../src/verify/server/to-request-facts.ts'
import type { AuditSink } from '../../../src/verify/sinks/audit-sinks.ts'
import { start } from '../verifier/made-up-checks.ts'
import { startVerifierStage } from './verifier-stage.ts'

/** Creates a sink in memory, which a test can make fail. */
function createSink() {
  const world = { isFailing: false }
  const lines: string[] = []
  const sink: AuditSink = {
    write: (line) => void (world.isFailing || lines.push(line)),
    isFailing: () => world.isFailing,
    lost: () => 0,
    reopen: () => {},
    close: async () => {},
  }
  return { sink, lines, world }
}

const ask = async (url: string, token: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await fetch(`${url}/v1/messages?key=secret`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  return [answer.status, answer.headers.get('gatepass-refusal')]
}

test('each decision has a line with who, the rule or the reason, and the request', async () => {
  const { sink, lines } = createSink()
  const audit = startDecisionAudit(sink, () => start)
  const { url } = await startVerifierStage({ audit, requestSource: { from: 'x-forwarded' } })
  const stated = {
    'x-forwarded-for': '192.0.2.7',
    'x-forwarded-method': 'PUT',
    'x-forwarded-uri': '/v1/files?key=secret',
  }
  await ask(url, 'a.b.c', { ...stated, 'x-request-id': 'r1', 'x-forwarded-host': 'models.example\u0085' })
  await ask(url, 'a.stranger.c')
  await ask(url, 'a.once.c')
  await ask(url, 'a.once.c', { 'x-forwarded-uri': `/${'r'.repeat(600)}` })
  await ask(url, 'a.refused-signature.c', { 'x-real-ip': '192.0.2.8', 'x-original-uri': '/v1/other' })
  const known = { time: start, audit: 'decision', issuer: 'https://idp.example' }
  const entries = lines.map((line) => JSON.parse(line))
  const request = expect.any(String)
  expect({ entries, isEscaped: lines[0]?.includes(String.raw`\u0085`) }).toEqual({
    entries: [
      {
        ...known,
        outcome: 'accepted',
        rule: 'staff',
        subject: 'a-b-c',
        gateway_request: 'r1',
        client: '192.0.2.7',
        method: 'PUT',
        host: 'models.example\u0085',
        route: '/v1/files',
      },
      { ...known, outcome: 'refused', reason: 'no-rule', subject: 'a-stranger-c', request },
      { ...known, outcome: 'accepted', rule: 'staff', subject: 'a--c' },
      {
        ...known,
        outcome: 'refused',
        reason: 'replayed',
        subject: 'a--c',
        request,
        route: `/${'r'.repeat(499)}…`,
      },
      { time: start, audit: 'decision', outcome: 'refused', reason: 'signature', request },
    ],
    isEscaped: true,
  })
})

test.each<[from: RequestDescription, toStated: (host: string) => object]>([
  ['nothing', () => ({})],
  ['request-line', (host) => ({ method: 'POST', host, route: '/v1/messages' })],
])('with --request-from %s an audit has only facts of the request that can be believed', async (from, toStated) => {
  const forged = { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-method': 'PUT', 'x-forwarded-uri': '/v1/files' }
  const person = { issuer: 'https://idp.example', subject: 'a-b-c', rule: 'staff' }
  const { sink, lines } = createSink()
  const { url } = await startVerifierStage({ audit: startDecisionAudit(sink, () => start), requestSource: { from } })
  await ask(url, 'a.b.c', forged)
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time: start, audit: 'decision', outcome: 'accepted', ...person, ...toStated(new URL(url).host) },
  ])
})

test('a flood of strangers has a hundred lines a second and a number', async () => {
  const { sink, lines } = createSink()
  const audit = startDecisionAudit(sink, () => start)
  const { url } = await startVerifierStage({ audit })
  await Promise.all(Array.from({ length: 150 }, () => ask(url, 'opaque')))
  await ask(url, 'a.b.c')
  audit.close()
  const entries = lines.map((line) => JSON.parse(line))
  expect([entries.length, entries[100].subject, entries[101]]).toEqual([
    ...[102, 'a-b-c', { time: start, audit: 'omitted', count: 50 }],
  ])
})

test('while the audit cannot be written, a setting decides whether anybody passes, remembered or not', async () => {
  const outcomes = []
  const counted = []
  for (const auditFailing of ['pass', 'refuse'] as const) {
    const { sink, world } = createSink()
    const audit = startDecisionAudit(sink, () => start)
    const { url, metrics } = await startVerifierStage({ audit, auditFailing })
    const answers = [await ask(url, 'a.b.c')]
    world.isFailing = true
    answers.push(await ask(url, 'a.b.c'), await ask(url, 'd.e.f'))
    world.isFailing = false
    outcomes.push([...answers, await ask(url, 'a.b.c')])
    counted.push(await countVerdicts(metrics))
  }
  const [pass, refuse] = [
    [200, null],
    [503, 'audit-unavailable'],
  ]
  expect({ outcomes, counted }).toEqual({
    outcomes: [
      [pass, pass, pass, pass],
      [pass, refuse, refuse, pass],
    ],
    counted: [
      { accepted: 4, refused: 0 },
      { accepted: 2, refused: 2 },
    ],
  })
})

/** How many answers the metrics have counted that let somebody pass, and that were refused for the audit. */
async function countVerdicts(metrics: Metrics): Promise<{ readonly accepted: number; readonly refused: number }> {
  const lines = (await metrics.render()).split('\n').filter((line) => line.startsWith('gatepass_verifications_total{'))
  const sum = (label: string) =>
    lines.filter((line) => line.includes(label)).reduce((total, line) => total + Number(line.split(' ').at(-1)), 0)
  return { accepted: sum('outcome="accepted"'), refused: sum('reason="audit-unavailable"') }
}
