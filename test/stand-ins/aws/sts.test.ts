import { AssumeRoleCommand, GetSessionTokenCommand } from '@aws-sdk/client-sts'
import { fromTemporaryCredentials } from '@aws-sdk/credential-providers'
import { expect, test } from 'vitest'
import { fetchCaller, refusalOf, stsOf } from './aws-test-client.ts'
import { startAwsTestEnvironment } from './aws-test-environment.ts'

const user = 'arn:aws:iam::111122223333:user/dev'
const role = 'arn:aws:iam::444455556666:role/path/build'
const session = 'arn:aws:sts::444455556666:assumed-role/build/s1'

test('names the caller whose key signed', async () => {
  await using environment = await startAwsTestEnvironment()
  const key = environment.aws.addAccessKey({ arn: user })
  const { accessKeyId, secretAccessKey, arn } = key
  const caller = await fetchCaller(key)
  expect({ accessKeyId, length: secretAccessKey.length, arn, caller, requests: environment.aws.requests }).toEqual({
    accessKeyId: 'AKIASTANDIN000000001',
    length: 40,
    arn: user,
    caller: { Account: '111122223333', Arn: user, UserId: 'AIDA11FC4CC919A5A20DB' },
    requests: [{ operation: 'GetCallerIdentity', parameters: {}, status: 200, accessKeyId: 'AKIASTANDIN000000001' }],
  })
})

test('a role’s temporary credentials sign requests of their own', async () => {
  await using environment = await startAwsTestEnvironment()
  const { aws } = environment
  const masterCredentials = aws.addAccessKey({ arn: user })
  aws.addRole({ arn: role, trusts: [user], externalId: 'ours', maxDurationSec: 7200 })
  const params = { RoleArn: role, RoleSessionName: 's1', ExternalId: 'ours', DurationSeconds: 7200 }
  const before = Date.now()
  const key = await fromTemporaryCredentials({ masterCredentials, params })()

  // Base64, which a request has to escape.
  const isEscaped = /[+/]/.test(key.sessionToken!)
  const minutes = Math.round((key.expiration!.getTime() - before) / 60_000)
  expect({ isEscaped, minutes, caller: await fetchCaller(key) }).toEqual({
    isEscaped: true,
    minutes: 120,
    caller: { Account: '444455556666', Arn: session, UserId: 'AROA053C30ECA84DF481F:s1' },
  })
  expect([...aws.requests, aws.secretOf('ASIASTANDIN000000002')]).toEqual([
    {
      operation: 'AssumeRole',
      parameters: { RoleArn: role, RoleSessionName: 's1', ExternalId: 'ours', DurationSeconds: '7200' },
      status: 200,
      accessKeyId: 'AKIASTANDIN000000001',
    },
    { operation: 'GetCallerIdentity', parameters: {}, status: 200, accessKeyId: 'ASIASTANDIN000000002' },
    {
      accessKeyId: 'ASIASTANDIN000000002',
      secretAccessKey: key.secretAccessKey,
      sessionToken: key.sessionToken,
      expiration: key.expiration,
      arn: 'arn:aws:sts::444455556666:assumed-role/build/s1',
    },
  ])
})

test('a chain of roles ends after an hour', async () => {
  await using environment = await startAwsTestEnvironment()
  const { aws } = environment
  const last = 'arn:aws:iam::777788889999:role/last'
  aws.addRole({ arn: role, trusts: [user] })
  aws.addRole({ arn: last, trusts: [role], maxDurationSec: 7200 })
  const masterCredentials = fromTemporaryCredentials({
    masterCredentials: aws.addAccessKey({ arn: user }),
    params: { RoleArn: role, RoleSessionName: 's1' },
  })
  const chained = (DurationSeconds: number) =>
    fromTemporaryCredentials({ masterCredentials, params: { RoleArn: last, RoleSessionName: 's2', DurationSeconds } })()

  expect(await fetchCaller(await chained(3600))).toEqual({
    Arn: 'arn:aws:sts::777788889999:assumed-role/last/s2',
    UserId: 'AROAB1ACA2019D41BB143:s2',
    Account: '777788889999',
  })
  expect(await refusalOf(chained(3601))).toEqual({
    name: 'ValidationError',
    status: 400,
    message: 'The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining',
  })
})

const denied = {
  name: 'AccessDenied',
  status: 403,
  message: `User: ${user} is not authorized to perform: sts:AssumeRole on resource: ${role}`,
}

test.each([
  ['that does not exist', undefined, {}, denied],
  ['that trusts another', { trusts: ['arn:aws:iam::111122223333:user/other'] }, {}, denied],
  ['whose rule says no', { trusts: () => false }, {}, denied],
  ['without its external id', { externalId: 'ours' }, {}, denied],
  [
    'for longer than it allows',
    {},
    { DurationSeconds: 3601 },
    {
      name: 'ValidationError',
      status: 400,
      message: 'The requested DurationSeconds exceeds the MaxSessionDuration set for this role.',
    },
  ],
  [
    'for less than 15 minutes',
    {},
    { DurationSeconds: 899 },
    {
      name: 'ValidationError',
      status: 400,
      message: "1 validation error detected: Value at 'durationSeconds' failed to satisfy constraint: at least 900",
    },
  ],
  [
    'under a name with a space',
    {},
    { RoleSessionName: 'a b' },
    {
      name: 'ValidationError',
      status: 400,
      message:
        "1 validation error detected: Value at 'roleSessionName' failed to satisfy constraint: [\\w+=,.@-]{2,64}",
    },
  ],
])('refuses a role %s', async (_, found, parameters, expected) => {
  await using environment = await startAwsTestEnvironment()
  const { aws } = environment
  if (found) aws.addRole({ arn: role, ...found })
  const command = new AssumeRoleCommand({ RoleArn: role, RoleSessionName: 's1', ...parameters })
  expect(await refusalOf(stsOf(aws.addAccessKey({ arn: user })).send(command))).toEqual(expected)
})

test('an unscripted operation or parameter gets 501, and fails its test by name', async () => {
  const environment = await startAwsTestEnvironment()
  const { aws } = environment
  const sts = stsOf(aws.addAccessKey({ arn: user }))
  aws.addRole({ arn: role })
  const withPolicy = new AssumeRoleCommand({ RoleArn: role, RoleSessionName: 's1', Policy: '{}' })
  const refusals = [sts.send(new GetSessionTokenCommand()), sts.send(withPolicy)].map(refusalOf)
  expect(await Promise.all(refusals)).toEqual(
    Array(2).fill({
      status: 501,
      name: 'Error',
      message:
        '@aws-sdk XML parse error: unexpected content.\n  Deserialization error: to see the raw response, inspect the hidden field {error}.$response on this object.',
    }),
  )
  await expect(environment[Symbol.asyncDispose]()).rejects.toThrow(
    'nobody scripted an answer to POST / {"Action":"GetSessionToken","Version":"2011-06-15"}, POST / {"Action":"AssumeRole"',
  )
})
