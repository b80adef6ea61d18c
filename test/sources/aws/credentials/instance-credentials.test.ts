import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import { toNetworkSettings } from '../../../../src/runtime/network/settings.ts'
import { describeRenewal } from '../../../../src/sources/aws/credentials/aws-source-kinds.ts'
import { fetchInstanceCredentials } from '../../../../src/sources/aws/credentials/instance-credentials.ts'
import type { AwsFiles } from '../../../../src/sources/aws/files/aws-files.ts'
import { listenOnLoopback } from '../../../setup/loopback.ts'

const hint = 'check that this machine has an instance profile, or name a profile with --profile or AWS_PROFILE'
const keys = {
  Code: 'Success',
  AccessKeyId: 'ASIA1',
  SecretAccessKey: 's',
  Token: 't',
  Expiration: '2026-01-15T12:00:00Z',
}

/** Answers in order, each `[status, body]`; what was asked, and how the fetch ended. */
async function ask(answers: readonly (readonly [status: number, body: string])[], endpoint?: string) {
  const asked: string[] = []
  const rest = [...answers]
  const server = createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url} ${headers['x-aws-ec2-metadata-token'] ?? 'without a token'}`)
    const [status, body] = rest.shift() ?? [501, '']
    response.writeHead(status, { 'retry-after': '0' }).end(body)
  })
  onTestFinished(() => void server.close())
  const port = await listenOnLoopback(server)
  const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})
  const deadline = new Deadline({ seconds: 58, hint: '' }, { elapsedMs: () => 0 })
  const call = { context: 'interactive', program: 'tool', deadline, network, warn: () => {} } as const
  const source = { kind: 'instance', endpoint: endpoint ?? `http://127.0.0.1:${port}` } as const
  const clock = { now: () => 0, startedAt: 0, elapsedMs: () => 0 }
  const files = {} as AwsFiles // a hint about an instance names none
  const plan = { describeRenewal: () => describeRenewal(source, files) }
  const ended = await fetchInstanceCredentials(source, { host: { clock }, call, plan }).then(
    ({ accessKeyId, expiration, account }) => ({ accessKeyId, expiration, account }),
    ({ kind, message, hint: advice }) => ({ kind, message, hint: advice }),
  )
  return { asked, ended }
}

const tokenRequest = 'PUT /latest/api/token without a token'
const list = '/latest/meta-data/iam/security-credentials/'
const found = { accessKeyId: 'ASIA1', expiration: new Date('2026-01-15T12:00:00Z'), account: undefined }
const refused = (message: string) => ({ kind: 'refused', message: `the instance metadata service ${message}`, hint })

test('a busy service is asked for its token again, and nothing is asked without one', async () => {
  expect(
    await ask([
      [503, ''],
      [200, 'token-1'],
      [200, 'build\n'],
      [200, JSON.stringify({ ...keys, AccountId: '111122223333' })],
    ]),
  ).toEqual({
    asked: [tokenRequest, tokenRequest, `GET ${list} token-1`, `GET ${list}build token-1`],
    ended: { ...found, account: '111122223333' },
  })
})

test.each<[status: number, kind: 'refused' | 'unavailable', times: number]>([
  [403, 'refused', 1],
  [404, 'refused', 1],
  [405, 'refused', 1],
  [503, 'unavailable', 3],
])('a token request that is answered with %i is never skipped', async (status, kind, times) => {
  expect(await ask(Array.from({ length: 4 }, () => [status, ''] as const))).toEqual({
    asked: Array.from({ length: times }, () => tokenRequest),
    ended: { kind, message: `the instance metadata service answered with HTTP ${status}`, hint },
  })
})

test.each<[what: string, body: string, message: string]>([
  ['another code', '{"Code":"AssumeRoleUnauthorizedAccess"}', 'gave no credentials (AssumeRoleUnauthorizedAccess)'],
  ['a code that is a sentence', '{"Code":"canary \\u001b[2J"}', 'gave no credentials'],
  ['no expiry', JSON.stringify({ ...keys, Expiration: undefined }), 'gave no credentials (Success)'],
  ['a page', '<html>', 'gave no credentials'],
])('an answer with %s gives no credentials', async (_, body, message) => {
  const { ended } = await ask([
    [200, 'token-1'],
    [200, 'build'],
    [200, body],
  ])
  expect(ended).toEqual(refused(message))
})

test.each<[endpoint: string, message: string, advice: string]>([
  [
    'nowhere',
    'the address of the instance metadata service is not a web address',
    'correct or remove AWS_EC2_METADATA_SERVICE_ENDPOINT, or ec2_metadata_service_endpoint of the profile',
  ],
  [
    'http://metadata.example',
    'metadata.example would be asked over plain http, which anybody on the network can read',
    'write https:// into AWS_EC2_METADATA_SERVICE_ENDPOINT',
  ],
])('the endpoint %s is not asked', async (endpoint, message, advice) => {
  expect((await ask([], endpoint)).ended).toEqual({ kind: 'not-configured', message, hint: advice })
})
