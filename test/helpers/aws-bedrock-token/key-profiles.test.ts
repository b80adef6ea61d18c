import { expect, test } from 'vitest'
import { expectToken } from './read-token.ts'
import { keysOf, role, startWorkbench, user } from './workbench.ts'

const region = 'eu-central-1'

test('keys in the environment need no file', async () => {
  await using bench = await startWorkbench()
  const {
    accessKeyId,
    secretAccessKey,
    sessionToken = '',
  } = bench.aws.addAccessKey({ arn: user, sessionToken: 'canary/token+=' })
  const keys = {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  }
  expectToken(await bench.run({ env: { ...keys, AWS_REGION: region } }), bench.aws, accessKeyId)
  expect(bench.asked()).toEqual([])
})

test('keys in the credentials file are found under the name of the profile', async () => {
  await using bench = await startWorkbench()
  const keys = keysOf(bench.aws)
  await bench.write({ config: { 'profile dev': { region } }, credentials: { dev: keys } })
  expectToken(await bench.run({ argv: ['--profile', 'dev'] }), bench.aws, keys.aws_access_key_id!)
})

test('keys in the configuration file are found, and AWS_PROFILE names the profile', async () => {
  await using bench = await startWorkbench()
  const keys = keysOf(bench.aws)
  await bench.write({ config: { 'profile dev': { region, ...keys } } })
  expectToken(await bench.run({ env: { AWS_PROFILE: 'dev' } }), bench.aws, keys.aws_access_key_id!)
})

test('the profile "default" is used when none is named', async () => {
  await using bench = await startWorkbench()
  const keys = keysOf(bench.aws)
  await bench.write({ config: { default: { region, ...keys } } })
  expectToken(await bench.run(), bench.aws, keys.aws_access_key_id!)
})

test('a role is assumed with the keys of its source_profile, under its own session name and external id', async () => {
  await using bench = await startWorkbench()
  const keys = keysOf(bench.aws)
  bench.aws.addRole({ arn: role, trusts: [user], externalId: 'contract-7', maxDurationSec: 7200 })
  await bench.write({
    config: {
      'profile build': {
        role_arn: role,
        source_profile: 'dev',
        external_id: 'contract-7',
        role_session_name: 'alice',
        duration_seconds: '7200',
        region,
      },
      'profile dev': keys,
    },
  })
  expectToken(await bench.run({ argv: ['--profile', 'build'] }), bench.aws, 'ASIASTANDIN000000002')
  expect(bench.aws.requests).toEqual([
    {
      operation: 'AssumeRole',
      parameters: { RoleArn: role, RoleSessionName: 'alice', ExternalId: 'contract-7', DurationSeconds: '7200' },
      status: 200,
      accessKeyId: keys.aws_access_key_id,
    },
  ])
})

test('three roles are assumed one after the other, each with the one before', async () => {
  await using bench = await startWorkbench()
  const keys = keysOf(bench.aws)
  const [first, second, third] = [1, 2, 3].map((hop) => `arn:aws:iam::44445555666${hop}:role/hop-${hop}`) as [
    string,
    string,
    string,
  ] // three
  bench.aws.addRole({ arn: first, trusts: [user] })
  bench.aws.addRole({ arn: second, trusts: [first] })
  bench.aws.addRole({ arn: third, trusts: [second] })
  await bench.write({
    config: {
      'profile third': { role_arn: third, source_profile: 'second', region },
      'profile second': { role_arn: second, source_profile: 'first' },
      'profile first': { role_arn: first, source_profile: 'dev' },
      'profile dev': keys,
    },
  })
  expectToken(await bench.run({ argv: ['--profile', 'third'] }), bench.aws, 'ASIASTANDIN000000004')
  expect(bench.aws.requests.map(({ parameters, accessKeyId }) => [parameters.RoleArn, accessKeyId])).toEqual([
    [first, keys.aws_access_key_id],
    [second, 'ASIASTANDIN000000002'],
    [third, 'ASIASTANDIN000000003'],
  ])
})

test('a role whose own section holds the keys for it is assumed with them', async () => {
  await using bench = await startWorkbench()
  const keys = keysOf(bench.aws)
  bench.aws.addRole({ arn: role, trusts: [user] })
  await bench.write({ config: { 'profile build': { role_arn: role, source_profile: 'build', region, ...keys } } })
  expectToken(await bench.run({ argv: ['--profile', 'build'] }), bench.aws, 'ASIASTANDIN000000002')
})
