import { expect, test } from 'vitest'
import type { AwsOperation } from '../../../../src/sources/aws/request/aws-error.ts'
import { sendOperation } from '../../../../src/sources/aws/request/send-operation.ts'
import { toStableValue } from '../../../setup/to-stable-text.ts'
import { type Answer, credentials, startAws } from './start-aws.ts'

const operation: AwsOperation = { api: 'secretsmanager', name: 'GetSecretValue', input: { SecretId: 'ai/key' } }
const good = { status: 200, body: '{"SecretString":"t"}' }
const busy = { status: 503, headers: { 'retry-after': '0' } }
const refusal = (code: string): Answer => ({ status: 400, body: JSON.stringify({ __type: code, Message: 'canary' }) })

/** Sends the operation; what came of it, and how each request was signed. */
async function send(answers: readonly Answer[], options: Parameters<typeof startAws>[1] = {}, offsetMs?: number) {
  const { received, context } = await startAws(answers, options)
  const sent = sendOperation(operation, { ...credentials, clockOffsetMs: offsetMs }, context)
  const outcome = await sent.catch(({ name, kind, message }) => (kind === undefined ? name : `${kind}: ${message}`))
  const verdicts = received.map(({ verdict }) => (verdict.ok ? 'accepted' : verdict.reason))
  return { outcome: typeof outcome === 'string' ? outcome : outcome.text, verdicts, received }
}

test.each<[api: AwsOperation, headers: object, body: string]>([
  [
    operation,
    { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' },
    '{"SecretId":"ai/key"}',
  ],
  [
    { api: 'ssm', name: 'GetParameter', input: { Name: '/ai/key', WithDecryption: true } },
    { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AmazonSSM.GetParameter' },
    '{"Name":"/ai/key","WithDecryption":true}',
  ],
  [
    {
      api: 'sts',
      name: 'GetWebIdentityToken',
      input: { Audience: ['https://a b', 'ü'], DurationSeconds: 300, Tags: [{ Key: 'team', Value: 'a&b=c' }] },
    },
    { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    'Action=GetWebIdentityToken&Version=2011-06-15&Audience.member.1=https%3A%2F%2Fa+b&Audience.member.2=%C3%BC&DurationSeconds=300&Tags.member.1.Key=team&Tags.member.1.Value=a%26b%3Dc',
  ],
])('%j is one POST whose signature another implementation accepts', async (asked, headers, body) => {
  const { received, context } = await startAws([good])
  await sendOperation(asked, credentials, context)
  const signed = ['content-type', 'host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token']
  const names = [...signed, ...Object.keys(headers).filter((name) => name === 'x-amz-target')].join(';')
  expect(toStableValue(received)).toEqual([
    {
      path: '/',
      headers: {
        ...headers,
        authorization: `AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/DATE/eu-central-1/${asked.api}/aws4_request, SignedHeaders=${names}, Signature=SHA256`,
        connection: 'close',
        'content-length': String(Buffer.byteLength(body)),
        host: '127.0.0.1:PORT',
        'x-amz-content-sha256': 'SHA256',
        'x-amz-date': 'DATE',
        'x-amz-security-token': 'canary+session',
      },
      body,
      verdict: {
        ok: true,
        accessKeyId: 'AKIAEXAMPLE',
        region: 'eu-central-1',
        service: asked.api,
        signedAt: expect.any(Date),
        expiresAt: expect.any(Date),
      },
    },
  ])
})

test('the path of a configured address is kept and signed', async () => {
  const { received } = await send([good], { path: '/aws/secrets' })
  expect(received.map(({ path, verdict }) => [path, verdict.ok])).toEqual([['/aws/secrets', true]])
})

test.each<[what: string, first: Answer]>([
  ['is overloaded', busy],
  ['answers 429', { status: 429, headers: { 'retry-after': '0' } }],
  ['throttles with 400', refusal('ThrottlingException')],
  ['says that it is failing', refusal('ServiceUnavailableException')],
  ['throttles in other words', refusal('com.amazonaws.x#TooManyRequestsException:http://internal.example/')],
  ['breaks the connection', 'reset'],
])('a service that %s is asked again', async (_, first) => {
  const { outcome, verdicts } = await send([first, good])
  expect({ outcome, verdicts }).toEqual({ outcome: '{"SecretString":"t"}', verdicts: ['accepted', 'accepted'] })
})

test.each<[what: string, answers: Answer[], outcome: string, asked: number]>([
  ['stays busy', [busy, busy, busy, good], 'no error code', 3],
  ['asks to wait beyond the deadline', [{ status: 503, headers: { 'retry-after': '60' } }, good], 'no error code', 1],
  ['refuses', [refusal('AccessDeniedException'), good], 'AccessDeniedException', 1],
  [
    'is blocked by something else',
    [{ status: 403, headers: { 'content-type': 'text/plain' }, body: 'canary' }],
    'unavailable: HTTP 403 came instead of an answer of AWS Secrets Manager in eu-central-1',
    1,
  ],
  [
    'breaks every connection',
    ['reset', 'reset', 'reset', good],
    'unavailable: AWS Secrets Manager in eu-central-1 cannot be reached (ECONNRESET)',
    3,
  ],
  [
    'redirects',
    [{ status: 307, headers: { location: 'http://127.0.0.1:1/' } }],
    'unavailable: 127.0.0.1 answered with a redirect (HTTP 307), which AWS never does',
    1,
  ],
  [
    'answers with a web page',
    [{ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>canary' }],
    'unavailable: 127.0.0.1 answered with a web page (HTTP 200), which AWS never does',
    1,
  ],
  [
    'answers without end',
    [{ status: 200, body: 'x'.repeat(1_100_000) }],
    'unavailable: 127.0.0.1 answered with more than 1024 KiB',
    1,
  ],
])('a request is repeated only where that may help: a service %s', async (_, answers, expected, asked) => {
  const { outcome, verdicts } = await send(answers)
  expect({ outcome, asked: verdicts.length }).toEqual({ outcome: expected, asked })
})

const tenMinutes = 600_000

test.each([
  ['is ahead', tenMinutes],
  ['is behind', -tenMinutes],
])('where AWS’s clock %s, a refused request is signed again with its date', async (_, aheadMs) => {
  const { outcome, verdicts } = await send([refusal('InvalidSignatureException'), good], { aheadMs })
  expect({ outcome, verdicts }).toEqual({
    outcome: '{"SecretString":"t"}',
    verdicts: [aheadMs > 0 ? 'expired' : 'not-yet-valid', 'accepted'],
  })
})

test('an offset that is known already is used at once', async () => {
  expect((await send([good], { aheadMs: tenMinutes }, tenMinutes)).verdicts).toEqual(['accepted'])
})

test('an operation that proves by its input who asks is not signed', async () => {
  const { received, context } = await startAws([refusal('AccessDenied'), good], { aheadMs: tenMinutes })
  const asked: AwsOperation = { api: 'sts', name: 'AssumeRoleWithWebIdentity', input: { WebIdentityToken: 'canary' } }
  await expect(sendOperation(asked, undefined, context)).rejects.toThrow()
  const body = 'Action=AssumeRoleWithWebIdentity&Version=2011-06-15&WebIdentityToken=canary'
  expect(received.map(({ headers, ...request }) => ({ ...request, isSigned: 'authorization' in headers }))).toEqual([
    {
      path: '/',
      body,
      isSigned: false,
      verdict: { ok: false, reason: 'malformed', detail: 'Authorization is missing or malformed' },
    },
  ])
})

test.each<[what: string, answer: Answer, aheadMs: number, outcome: string]>([
  ['by the right date', refusal('SignatureDoesNotMatch'), 0, 'SignatureDoesNotMatch'],
  ['without a date', { status: 403, headers: { date: '' }, body: '{"__type":"X"}' }, tenMinutes, 'X'],
])('a refusal %s is final', async (_, answer, aheadMs, outcome) => {
  expect((await send([answer, good], {}, aheadMs)).outcome).toBe(outcome)
})
