import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFreePort } from '../../../gateways/gateway-process.ts'
import { runGatepass } from '../../run-gatepass.ts'
import { ask, startIssuerWithPolicy, startLogsCollector, startVerifierProcess } from './verifier-process.ts'

test('while the collector of the audit is away nobody passes, and it gets each decision of that time later', async () => {
  const { directory, policy, token, issuer } = await startIssuerWithPolicy()
  const headers = join(directory, 'headers')
  await writeFile(headers, 'Api-Key: k\n', { mode: 0o600 })
  const port = await findFreePort()
  const verifier = await startVerifierProcess(
    ...['--policy', policy, '--listen', join(directory, 'socket'), '--audit', `otlp:http://127.0.0.1:${port}`],
    ...['--audit-headers-file', headers, '--audit-failing', 'refuse'],
  )
  const status = async () => {
    const answer = await ask(verifier.addresses.listen, token)
    return 'status' in answer ? answer.status : answer.code
  }
  const before = await status() // nothing is known of the collector yet
  await expect.poll(status, { timeout: 10_000 }).toBe(503)
  const taken = await startLogsCollector(port)
  await expect.poll(status, { timeout: 40_000, interval: 500 }).toBe(200)
  verifier.signal('SIGTERM')
  const { stderr } = await verifier.ended
  const results = taken.map(({ line: { outcome, reason, subject } }) => ({ outcome, reason, subject }))
  const accepted = { outcome: 'accepted', reason: undefined, subject: 'dana' }
  const refused = { outcome: 'refused', reason: 'audit-unavailable', subject: 'dana' }
  const issuers = new Set(taken.map(({ line }) => line.issuer))
  expect({
    before,
    first: results[0],
    last: results.at(-1),
    refused: results.find(({ outcome }) => outcome === 'refused'),
    keys: new Set(taken.map(({ key }) => key)),
    issuers,
    isTold: stderr.includes('"event":"audit"'),
    hasSecret: stderr.includes('Api-Key'),
  }).toEqual({
    before: 200,
    first: accepted,
    last: accepted,
    refused,
    keys: new Set(['k']),
    issuers: new Set([issuer.issuer]),
    isTold: true,
    hasSecret: false,
  })
})

test.each<[string, string[], string, string]>([
  [
    'a collector without TLS on another machine',
    ['--audit', 'otlp:http://collector.example:4318'],
    'the address of the collector in --audit cannot be used',
    'write its base address, such as otlp:https://otel.example:4318, and a key into --audit-headers-file',
  ],
  [
    'headers without a collector',
    ['--audit', 'audit.jsonl', '--audit-headers-file', 'headers'],
    '--audit-headers-file is for a collector alone',
    'name it with --audit otlp:URL, or remove --audit-headers-file',
  ],
])('the verifier does not start with %s', async (_, argv, message, hint) => {
  const { policy, directory } = await startIssuerWithPolicy()
  const listen = join(directory, 'socket')
  const words = ['gateway', 'verifier', '--policy', policy, '--listen', listen, '--log', 'text', ...argv]
  const { stderr, ...others } = await runGatepass(...words)
  const own = stderr.split('\n').filter((line) => line.startsWith('gatepass: ')) // between lines of the log
  expect({ ...others, own }).toEqual({
    status: 2,
    stdout: '',
    own: [`gatepass: ${message}`, `gatepass: hint: ${hint}`],
  })
})
