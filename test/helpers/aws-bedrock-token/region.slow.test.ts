import { expect, test } from 'vitest'
import { readToken } from './read-token.ts'
import { signInToSso } from './sign-in.ts'
import { failure, keysOf, startWorkbench, type Workbench } from './workbench.ts'

/** Profile `dev` with a region of its own, `bare` without one. */
async function startWithKeys(): Promise<Workbench> {
  const bench = await startWorkbench()
  const keys = keysOf(bench.aws)
  await bench.write({ config: { 'profile dev': { region: 'eu-west-3', ...keys }, 'profile bare': keys } })
  return bench
}

const AWS_REGION = 'eu-central-1'
const AWS_DEFAULT_REGION = 'eu-north-1'

test.each([
  ['--region', ['--region', 'us-east-2'], { AWS_REGION, AWS_DEFAULT_REGION }, 'us-east-2'],
  ['AWS_REGION', [], { AWS_REGION, AWS_DEFAULT_REGION }, 'eu-central-1'],
  ['AWS_DEFAULT_REGION', [], { AWS_DEFAULT_REGION }, 'eu-north-1'],
  ['the profile', [], {}, 'eu-west-3'],
])('the region comes from %s, before those that follow', async (_, argv, env, region) => {
  await using bench = await startWithKeys()
  expect(readToken(await bench.run({ argv: ['--profile', 'dev', ...argv], env })).region).toBe(region)
})

test('a missing region is an error', async () => {
  await using bench = await startWithKeys()
  expect(await bench.run({ argv: ['--profile', 'bare'] })).toEqual(
    failure(
      3,
      'no region is known for profile "bare"',
      'pass --region, set AWS_REGION, or run: aws configure set region REGION --profile bare',
    ),
  )
})

test('a text that would lead to another host is not a region', async () => {
  await using bench = await startWithKeys()
  expect(await bench.run({ argv: ['--profile', 'dev', '--region', 'eu/../x'] })).toEqual(
    failure(3, 'the region is not the name of a region', 'set a region such as eu-central-1'),
  )
})

test.each([
  ['eu-central-1', 'bedrock.amazonaws.com'],
  ['us-gov-west-1', 'bedrock.amazonaws.com'],
  ['cn-north-1', 'bedrock.amazonaws.com.cn'],
  ['eusc-de-east-1', 'bedrock.amazonaws.eu'],
  ['us-isob-east-1', 'bedrock.sc2s.sgov.gov'],
])('in %s the token is for %s', async (region, host) => {
  await using bench = await startWithKeys()
  const token = readToken(await bench.run({ argv: ['--profile', 'dev', '--region', region] }))
  expect([token.region, token.host]).toEqual([region, host])
})

test('SSO is asked in the region of its session, whatever the region of the token', async () => {
  await using bench = await startWorkbench()
  await signInToSso(bench)
  bench.aws.failAlways('GetRoleCredentials', { kind: 'error', code: 'ServiceUnavailable', status: 503 })
  expect(await bench.run({ argv: ['--profile', 'dev', '--region', 'eu-west-1'] })).toEqual(
    failure(6, 'AWS SSO in us-west-2 is busy or broken (ServiceUnavailable, HTTP 503)', 'try again in a moment'),
  )
})
