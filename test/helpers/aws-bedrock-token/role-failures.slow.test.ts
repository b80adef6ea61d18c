import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { identityToken, issuer } from './identity-token.ts'
import { failure, keysOf, role, startWorkbench, user, type Workbench } from './workbench.ts'

const region = 'eu-central-1'
const argv = ['--profile', 'build']

/** Profile `build` assumes a role that trusts the keys of profile `dev`. */
async function startWithRole(changes: Record<string, string> = {}): Promise<Workbench> {
  const bench = await startWorkbench()
  bench.aws.addRole({ arn: role, trusts: [user] })
  await bench.write({
    config: { 'profile build': { role_arn: role, source_profile: 'dev', region, ...changes } },
    credentials: { dev: keysOf(bench.aws) },
  })
  return bench
}

test('a role that does not trust the caller is named with its ARN, the profile and AWS’s code', async () => {
  const other = 'arn:aws:iam::444455556666:role/other'
  await using bench = await startWithRole({ role_arn: other })
  expect(await bench.run({ argv })).toEqual(
    failure(
      5,
      `AWS STS refused the role ${other} of profile "build": AccessDenied`,
      `have the trust policy of ${other} and the policies of this identity allow sts:AssumeRole, or correct role_arn`,
    ),
  )
})

test('a duration that the role does not allow has its own message', async () => {
  await using bench = await startWithRole({ duration_seconds: '7200' })
  expect(await bench.run({ argv })).toEqual(
    failure(
      5,
      `AWS STS refused the role ${role} of profile "build": ValidationError: AWS does not accept duration_seconds, role_session_name or external_id`,
      "correct them; duration_seconds is at most the role's own limit, and 3600 for a role that another role assumes",
    ),
  )
})

test.each([
  ['ExpiredToken', 'ExpiredToken: the credentials used to assume it expired', 4],
  ['InvalidClientTokenId', 'InvalidClientTokenId: the access key does not exist, or no longer exists', 5],
])('source credentials that AWS answers %s to are renewed where they are stored', async (code, words, status) => {
  await using bench = await startWithRole()
  bench.aws.failAlways('AssumeRole', { kind: 'error', code, status: 403, message: 'canary' })
  expect(await bench.run({ argv })).toEqual(
    failure(
      status,
      `AWS STS refused the role ${role} of profile "build": ${words}`,
      `put current keys into profile "dev" of ${join(bench.home, '.aws', 'credentials')}`,
    ),
  )
})

test('a secret key that belongs to another access key is reported', async () => {
  await using bench = await startWithRole()
  await bench.write({ credentials: { dev: { ...keysOf(bench.aws), aws_secret_access_key: 'canary-of-another' } } })
  expect(await bench.run({ argv })).toEqual(
    failure(
      5,
      `AWS STS refused the role ${role} of profile "build": SignatureDoesNotMatch: the secret access key does not belong to the access key id, or this machine's clock is wrong`,
      'compare the clock with the time of day; then copy both keys again',
    ),
  )
})

test('a throttled request is retried', async () => {
  await using bench = await startWithRole()
  bench.aws.failNext('AssumeRole', { kind: 'error', code: 'Throttling', status: 400 })
  bench.aws.failNext('AssumeRole', { kind: 'error', code: 'ServiceUnavailable', status: 503 })
  const { status, stderr } = await bench.run({ argv })
  expect({ status, stderr, asked: bench.asked().length }).toEqual({ status: 0, stderr: '', asked: 3 })
})

test('an outage of AWS is distinguished from a refusal', async () => {
  await using bench = await startWithRole()
  bench.aws.failAlways('AssumeRole', { kind: 'error', code: 'ServiceUnavailable', status: 503 })
  expect(await bench.run({ argv })).toEqual(
    failure(6, `AWS STS in ${region} is busy or broken (ServiceUnavailable, HTTP 503)`, 'try again in a moment'),
  )
})

test('an answer of AWS is awaited until shortly before the client gives up', async () => {
  await using bench = await startWithRole()
  bench.aws.failAlways('AssumeRole', { kind: 'silence' })
  expect(await bench.run({ argv: [...argv, '--client-timeout', '5'] })).toEqual(
    failure(
      7,
      `AWS STS in ${region} (waiting for ${new URL(bench.aws.url).host} to answer) took longer than the 3 s of this call`,
      "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here",
    ),
  )
})

test.each([
  ['nobody listens', 'http://127.0.0.1:1', 'ECONNREFUSED'],
  ['no such name is known', 'https://sts.gatepass.invalid', 'NO-ADDRESS'],
])('without a network (%s) the message has the code of the system', async (_, AWS_ENDPOINT_URL_STS, code) => {
  await using bench = await startWithRole()
  expect(toStableValue(await bench.run({ argv, env: { AWS_ENDPOINT_URL_STS } }))).toEqual(
    failure(6, `AWS STS in ${region} cannot be reached (${code})`, 'check the network, the VPN and the proxy'),
  )
})

/** Profile `build` assumes its role with an identity token. */
async function startWithIdentityToken(token?: string) {
  const bench = await startWorkbench()
  const path = join(bench.home, 'token')
  if (token !== undefined) await writeFile(path, token)
  bench.aws.addIdentityProvider({ issuer })
  bench.aws.addRole({ arn: role, trusts: ['https://another.example'] })
  await bench.write({ config: { 'profile build': { role_arn: role, web_identity_token_file: path, region } } })
  return { bench, path }
}

const refused = `AWS STS refused the role ${role} of profile "build"`

test.each([
  [
    undefined,
    3,
    'the identity token file PATH of profile "build" does not exist',
    'find out why nothing has written that file, or correct web_identity_token_file',
  ],
  [
    '\n',
    3,
    'the identity token file PATH of profile "build" is empty',
    'find out why nothing has written that file, or correct web_identity_token_file',
  ],
  [
    'canary',
    5,
    `${refused}: InvalidIdentityTokenException: the identity token is not accepted`,
    'check its issuer and audience against the identity provider that the AWS account knows',
  ],
  [
    identityToken({ exp: 1000 }),
    4,
    `${refused}: ExpiredTokenException: the identity token expired`,
    'find out why the program that writes PATH does not renew it',
  ],
  [
    identityToken(),
    5,
    `${refused}: AccessDenied`,
    `have the trust policy of ${role} allow this identity token's issuer, subject and audience`,
  ],
])('an identity token that AWS does not accept (%#) is reported', async (token, status, message, hint) => {
  const { bench, path } = await startWithIdentityToken(token)
  await using _ = bench
  expect(await bench.run({ argv })).toEqual(failure(status, message.replace('PATH', path), hint.replace('PATH', path)))
})
