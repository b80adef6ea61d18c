import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { identityToken, issuer } from './identity-token.ts'
import { expectToken } from './read-token.ts'
import { keysOf, role, startWorkbench, user } from './workbench.ts'

const region = 'eu-central-1'
const onHost = 'arn:aws:iam::111122223333:role/host'
const argv = ['--profile', 'build']

test('an identity token named by a profile is exchanged for its role', async () => {
  await using bench = await startWorkbench()
  const web_identity_token_file = join(bench.home, 'identity token')
  await writeFile(web_identity_token_file, `${identityToken()}\n`)
  bench.aws.addIdentityProvider({ issuer, audiences: ['sts.amazonaws.com'] })
  bench.aws.addRole({ arn: role, trusts: [issuer] })
  await bench.write({
    config: { 'profile build': { role_arn: role, role_session_name: 'alice', web_identity_token_file, region } },
  })
  expectToken(await bench.run({ argv }), bench.aws, 'ASIASTANDIN000000001')
  expect(bench.aws.requests.map(({ operation, parameters }) => [operation, parameters.RoleSessionName])).toEqual([
    ['AssumeRoleWithWebIdentity', 'alice'],
  ])
})

test('an identity token named by the environment is exchanged for its role', async () => {
  await using bench = await startWorkbench()
  const AWS_WEB_IDENTITY_TOKEN_FILE = join(bench.home, 'token')
  await writeFile(AWS_WEB_IDENTITY_TOKEN_FILE, identityToken())
  bench.aws.addIdentityProvider({ issuer })
  bench.aws.addRole({ arn: role, trusts: [issuer] })
  const env = { AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN: role, AWS_REGION: region }
  expectToken(await bench.run({ env }), bench.aws, 'ASIASTANDIN000000001')
})

test('a role is assumed with the keys of the environment, where credential_source says so', async () => {
  await using bench = await startWorkbench({
    config: { 'profile build': { role_arn: role, credential_source: 'Environment', region } },
  })
  const keys = keysOf(bench.aws)
  bench.aws.addRole({ arn: role, trusts: [user] })
  const env = { AWS_ACCESS_KEY_ID: keys.aws_access_key_id, AWS_SECRET_ACCESS_KEY: keys.aws_secret_access_key }
  expectToken(await bench.run({ argv, env }), bench.aws, 'ASIASTANDIN000000002')
})

test('a role is assumed with the credentials of the container', async () => {
  await using bench = await startWorkbench({
    config: { 'profile build': { role_arn: role, credential_source: 'EcsContainer', region } },
  })
  bench.aws.addRole({ arn: role, trusts: [onHost] })
  const env = bench.aws.addContainerRole({ arn: onHost, authorizationToken: 'canary' })
  expectToken(await bench.run({ argv, env }), bench.aws, 'ASIASTANDIN000000002')
  expect(bench.asked()).toEqual(['GetContainerCredentials', 'AssumeRole'])
})

test('a role is assumed with the credentials of the instance', async () => {
  await using bench = await startWorkbench({
    config: { 'profile build': { role_arn: role, credential_source: 'Ec2InstanceMetadata', region } },
  })
  bench.aws.addRole({ arn: role, trusts: [onHost] })
  bench.aws.addInstanceRole({ arn: onHost })
  expectToken(await bench.run({ argv }), bench.aws, 'ASIASTANDIN000000002')
  expect(bench.asked()).toEqual(['PutMetadataToken', 'ListInstanceRoles', 'GetInstanceCredentials', 'AssumeRole'])
})

test('a container’s credentials are used when nothing else is configured', async () => {
  await using bench = await startWorkbench()
  const env = bench.aws.addContainerRole({ arn: onHost, authorizationToken: 'canary' })
  expectToken(await bench.run({ env: { ...env, AWS_REGION: region } }), bench.aws, 'ASIASTANDIN000000001')
  expect(bench.asked()).toEqual(['GetContainerCredentials'])
})

test('an instance’s credentials are used when nothing else is configured, even if its service is busy', async () => {
  await using bench = await startWorkbench({ config: { default: { region, output: 'json' } } })
  bench.aws.addInstanceRole({ arn: onHost })
  bench.aws.failNext('PutMetadataToken', { kind: 'error', code: 'ServiceUnavailable', status: 503 })
  expectToken(await bench.run(), bench.aws, 'ASIASTANDIN000000001')
  expect(bench.asked()).toEqual(['PutMetadataToken', 'PutMetadataToken', 'ListInstanceRoles', 'GetInstanceCredentials'])
})
