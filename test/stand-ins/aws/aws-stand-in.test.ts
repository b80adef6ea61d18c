import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { expect, test } from 'vitest'
import { toStableText } from '../../setup/to-stable-text.ts'
import { type AwsStandIn, startAwsStandIn } from './aws-stand-in.ts'

const arn = 'arn:aws:iam::111122223333:user/dev'

function askWho(aws: AwsStandIn, maxAttempts = 1) {
  const credentials = aws.addAccessKey({ arn })
  const sts = new STSClient({ endpoint: aws.url, region: 'eu-central-1', credentials, maxAttempts })
  return (abortSignal = AbortSignal.timeout(5000)) =>
    sts.send(new GetCallerIdentityCommand(), { abortSignal }).then(
      ({ Arn }) => Arn,
      (error: Error) => error.name,
    )
}

const statuses = (aws: AwsStandIn) => aws.requests.map(({ status }) => status)

test('fails once with the error scripted next, and recovers', async () => {
  await using aws = await startAwsStandIn()
  const ask = askWho(aws)
  aws.failNext('GetCallerIdentity', { kind: 'error', code: 'AccessDenied', status: 403 })
  aws.failNext('GetCallerIdentity', { kind: 'error', code: 'Throttling', status: 400, message: 'Rate exceeded' })
  expect([await ask(), await ask(), await ask()]).toEqual(['AccessDenied', 'Throttling', arn])
  expect(statuses(aws)).toEqual([403, 400, 200])
})

test('fails for one operation until told to recover', async () => {
  await using aws = await startAwsStandIn()
  const ask = askWho(aws)
  aws.failAlways('AssumeRole', { kind: 'reset' })
  aws.failAlways('GetCallerIdentity', { kind: 'error', code: 'ServiceUnavailable', status: 503 })
  expect([await ask(), await ask()]).toEqual(['ServiceUnavailable', 'ServiceUnavailable'])
  aws.recover('GetCallerIdentity')
  expect(await ask()).toBe(arn)
})

test('the SDK’s own retry gets past a reset connection and a 503', async () => {
  await using aws = await startAwsStandIn()
  aws.failNext('GetCallerIdentity', { kind: 'reset' })
  aws.failNext('GetCallerIdentity', { kind: 'error', code: 'ServiceUnavailable', status: 503 })
  expect(await askWho(aws, 3)()).toBe(arn)
  expect(statuses(aws)).toEqual(['reset', 503, 200])
})

test('never answers when silent, and can still be closed', async () => {
  await using aws = await startAwsStandIn()
  aws.failNext('GetCallerIdentity', { kind: 'silence' })
  const caller = new AbortController()
  const asking = askWho(aws)(caller.signal)
  await expect.poll(() => statuses(aws)).toEqual(['silence'])
  caller.abort()
  expect(await asking).toBe('AbortError')
})

test('a slow answer is the normal one after a delay', async () => {
  await using aws = await startAwsStandIn()
  aws.failNext('GetCallerIdentity', { kind: 'slow', delayMs: 200 })
  const start = performance.now()
  expect(await askWho(aws)()).toBe(arn)
  expect(performance.now() - start).toBeGreaterThanOrEqual(195)
})

test.each([
  ['ahead', 600_000, 'Signature expired: TIME is now earlier than TIME (TIME - 5 min.)'],
  ['behind', -600_000, 'Signature not yet current: TIME is still later than TIME (TIME + 5 min.)'],
])('a clock ten minutes %s refuses the signature and says so in Date', async (_, offsetMs, message) => {
  await using aws = await startAwsStandIn()
  aws.setClockOffset(offsetMs)
  const sts = new STSClient({
    endpoint: aws.url,
    region: 'eu-central-1',
    credentials: aws.addAccessKey({ arn }),
    maxAttempts: 1,
  })
  const begin = Date.now()
  const error = await sts.send(new GetCallerIdentityCommand()).catch((error) => error)
  expect([error.name, error.message.replaceAll(/\b\d{8}T\d{6}Z/g, 'TIME')]).toEqual(['SignatureDoesNotMatch', message])
  const { headers }: { headers: Record<string, string> } = error.$response
  const told = Date.parse(headers.date!) - offsetMs // in whole seconds
  expect([told > begin - 1000, told <= Date.now()]).toEqual([true, true])
})

test('the SDK corrects its clock by that Date and is answered', async () => {
  await using aws = await startAwsStandIn()
  aws.setClockOffset(600_000)
  expect(await askWho(aws, 2)()).toBe(arn)
  expect(statuses(aws)).toEqual([403, 200])
})

test('an unscripted path gets 501, is recorded, and fails the test that disposes of it', async () => {
  const aws = await startAwsStandIn()
  const response = await fetch(`${aws.url}/secret?name=a`)
  expect({ status: response.status, body: await response.text(), requests: aws.requests }).toEqual({
    status: 501,
    body: 'the AWS stand-in has no answer to GET /secret: nobody scripted one\n',
    requests: [{ operation: 'GET /secret', parameters: { name: 'a' }, status: 501 }],
  })
  await expect(aws[Symbol.asyncDispose]()).rejects.toEqual(
    new Error('nobody scripted an answer to GET /secret {"name":"a"}'),
  )
})

test('listens on loopback only, and closing stops it', async () => {
  const aws = await startAwsStandIn()
  expect(toStableText(aws.url)).toBe('http://127.0.0.1:PORT')
  await aws.close()
  expect(await fetch(aws.url).catch(({ cause }) => cause.code)).toBe('ECONNREFUSED')
})
