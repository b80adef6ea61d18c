import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { failure, printed, program, startDesk } from './desk.ts'

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const token = 'canary-token'

test.each<[what: string, stored: string | Uint8Array, argv: string[], document: object]>([
  ['a bare token, without the line break behind it', `${token}\n`, [], { token }],
  ['bytes that are text', Buffer.from(token), [], { token }],
  ['one member', JSON.stringify({ user: 'x', key: token }), ['--json-key', 'key'], { token }],
  [
    'a token with its headers',
    JSON.stringify({ token, headers: { 'X-Tenant': 'blue', 'X-Team': 'of the secret' } }),
    ['--header', 'x-team: own'],
    { token, headers: { 'X-Tenant': 'blue', 'x-team': 'own' } },
  ],
])('a secret is read that holds %s', async (_, stored, argv, document) => {
  const desk = await startDesk()
  desk.aws.putSecret('ai/key', stored)
  expect(await desk.run({ argv: ['--secret', 'ai/key', ...argv] })).toEqual(printed(document))
})

test('a parameter is decrypted and found by name, version and label', async () => {
  const desk = await startDesk()
  desk.aws.putParameter('/ai/key', 'first', { label: 'stable' })
  desk.aws.putParameter('/ai/key', 'second')
  const run = (id: string) => desk.run({ argv: ['--parameter', id] })
  expect([await run('/ai/key'), await run('/ai/key:1'), await run('/ai/key:stable')]).toEqual([
    printed({ token: 'second' }),
    printed({ token: 'first' }),
    printed({ token: 'first' }),
  ])
})

test('a version of a secret is found by stage and by ID, which headers may name', async () => {
  const desk = await startDesk()
  desk.aws.putSecret('ai/key', 'first')
  desk.aws.putSecret('ai/key', 'second')
  const run = (...argv: string[]) => desk.run({ argv: ['--secret', 'ai/key', '--header', 'X-V: {version}', ...argv] })
  const previous = JSON.parse((await run('--version-stage', 'AWSPREVIOUS')).stdout)
  expect({ token: previous.token, outcome: await run('--version-id', previous.headers['X-V']) }).toEqual({
    token: 'first',
    outcome: printed(previous),
  })
})

test('an ARN names the region, whatever the settings say', async () => {
  const desk = await startDesk()
  const secret = desk.aws.putSecret('ai/key', 'of-Ohio', { region: 'us-east-2' })
  const parameter = desk.aws.putParameter('/ai/key', 'of-Oregon', { region: 'us-west-2' })
  const env = { AWS_REGION: 'eu-west-1' }
  expect([
    await desk.run({ argv: ['--secret', secret], env }),
    await desk.run({ argv: ['--parameter', parameter], env }),
    await desk.run({ argv: ['--parameter', `${parameter}:1`], env }),
  ]).toEqual([printed({ token: 'of-Ohio' }), printed({ token: 'of-Oregon' }), printed({ token: 'of-Oregon' })])
})

test('a secret without an end is never written to disk, and read again by each run', async () => {
  const desk = await startDesk()
  desk.aws.putSecret('ai/key', token)
  const argv = ['--secret', 'ai/key']
  await desk.run({ argv })
  await desk.run({ argv })
  expect(desk.aws.requests.map(({ operation }) => operation)).toEqual(['GetSecretValue', 'GetSecretValue'])
  const names = await readdir(join(desk.home, '.cache', 'gatepass'))
  expect(names.filter((name) => name.endsWith('.json'))).toEqual([])
})

test('a secret that says when it ends is kept, with its headers, and read again in mid-session-refresh', async () => {
  const desk = await startDesk()
  const store = (text: string) =>
    desk.aws.putSecret('ai/key', JSON.stringify({ token: text, headers: { 'X-Of': text }, expiresAt: inAnHour() }))
  const run = (context: 'interactive' | 'mid-session-refresh') =>
    desk.run({ argv: ['--secret', 'ai/key', '--client-ttl', '600'], env: toContextVariables(context) })
  store('first')
  const first = printed({ token: 'first', headers: { 'X-Of': 'first' } })
  const runs = [await run('interactive')]
  store('second')
  for (const context of ['interactive', 'mid-session-refresh', 'interactive'] as const) runs.push(await run(context))
  const second = printed({ token: 'second', headers: { 'X-Of': 'second' } })
  expect({ runs, asked: desk.aws.requests.map(({ operation }) => operation) }).toEqual({
    runs: [first, first, second, second],
    asked: ['GetSecretValue', 'GetSecretValue'],
  })
})

test('a secret whose end has passed is refused', async () => {
  const desk = await startDesk()
  desk.aws.putSecret('ai/key', JSON.stringify({ token, expiresAt: '2026-01-15T12:00:00Z' }))
  expect(await desk.run({ argv: ['--secret', 'ai/key'] })).toEqual(
    failure(
      5,
      'the secret "ai/key" says that its token expired at 2026-01-15T12:00:00.000Z',
      'have it rotated; a new value is taken at the next call',
    ),
  )
})

test.each<[argv: string[], status: number, message: string, hint: string]>([
  [[], 3, 'secret or parameter must be set', `set one of them by argument, variable or file; see: ${program} --help`],
  [['--secret', 'a', '--parameter', 'b'], 2, 'secret and parameter are both set', 'set one of the two'],
  [
    ['--parameter', '/ai/key', '--version-stage', 'AWSPENDING'],
    2,
    'version-stage and version-id do not go with parameter',
    'write the version or label behind the name of the parameter, as in /ai/key:3',
  ],
  [
    ['--secret', 'arn:aws:ssm:eu-central-1:111122223333:parameter/ai/key'],
    2,
    'secret is neither the name nor the ARN of a secret',
    'set the option parameter instead',
  ],
  [
    ['--parameter', 'no name'],
    2,
    'parameter is neither the name nor the ARN of a parameter',
    'write a name, or an ARN such as arn:aws:ssm:eu-central-1:111122223333:parameter/ai/key',
  ],
])('%j cannot be used', async (argv, status, message, hint) => {
  const desk = await startDesk()
  expect({ outcome: await desk.run({ argv }), requests: desk.aws.requests }).toEqual({
    outcome: failure(status, message, hint),
    requests: [],
  })
})
