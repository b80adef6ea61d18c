import { readFile } from 'node:fs/promises'
import { fromSSO } from '@aws-sdk/credential-providers'
import { beforeEach, expect, test } from 'vitest'
import { fetchCaller, refusalOf } from '../aws-test-client.ts'
import { type AwsTestEnvironment, startAwsTestEnvironment } from '../aws-test-environment.ts'
import type { SsoSession } from './sso-tokens.ts'

const hour = 3_600_000
const assignment = { accountId: '111122223333', roleName: 'Builder' }
const client = { clientId: 'client-1', clientSecret: 'client-secret-1' }
const asked = { operation: 'GetRoleCredentials', parameters: { account_id: '111122223333', role_name: 'Builder' } }

/** The SDK refreshes a session of one name only once in 30 seconds, so that every test has its own. */
let name = ''
let run = 0
beforeEach(() => {
  run += 1
  name = `corp-${run}`
})

async function signIn(environment: AwsTestEnvironment, changes: Partial<SsoSession> = {}) {
  const session = {
    accessToken: 'access-1',
    expiresAt: new Date(Date.now() + hour),
    ...client,
    assignments: [assignment],
  }
  const entry = environment.aws.addSsoSession({ ...session, ...changes })
  return environment.useDirectory({
    config: {
      'profile dev': { sso_session: name, sso_account_id: '111122223333', sso_role_name: 'Builder' },
      'profile old': {
        sso_start_url: 'https://old.awsapps.example/start',
        sso_region: 'eu-west-1',
        sso_account_id: '111122223333',
        sso_role_name: 'Builder',
      },
      [`sso-session ${name}`]: { sso_start_url: 'https://corp.awsapps.example/start', sso_region: 'eu-west-1' },
    },
    ssoCache: { [name]: entry, 'https://old.awsapps.example/start': entry },
  })
}

const resolve = (profile = 'dev') => fromSSO({ profile, clientConfig: { maxAttempts: 1 } })()

test.each(['dev', 'old'])('the session’s access token gets the role’s credentials of profile %s', async (profile) => {
  await using environment = await startAwsTestEnvironment()
  await signIn(environment)
  const key = await resolve(profile)
  const minutes = Math.round((key.expiration!.getTime() - Date.now()) / 60_000)
  expect({ minutes, caller: await fetchCaller(key), request: environment.aws.requests[0] }).toEqual({
    minutes: 60,
    caller: {
      Account: '111122223333',
      Arn: 'arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Builder_0123456789abcdef/stand-in',
      UserId: 'AROAA42F49239B1B2BF99:stand-in',
    },
    request: { ...asked, status: 200 },
  })
})

test('a session about to expire is refreshed once, and the new one is written where it was', async () => {
  await using environment = await startAwsTestEnvironment()
  const directory = await signIn(environment, { expiresAt: new Date(Date.now() + 60_000), refreshToken: 'refresh-1' })
  await resolve()
  expect(environment.aws.requests).toEqual([
    {
      operation: 'CreateToken',
      parameters: { ...client, grantType: 'refresh_token', refreshToken: 'refresh-1' },
      status: 200,
    },
    { ...asked, status: 200 },
  ])
  expect(JSON.parse(await readFile(directory.ssoCachePath(name), 'utf8'))).toEqual({
    accessToken: 'access-1-refreshed',
    expiresAt: expect.any(String),
    ...client,
    refreshToken: 'refresh-1-refreshed',
  })
})

test.each([
  ['of a session that has ended', { expiresAt: new Date(0) }, 'UnauthorizedException', 401],
  ['for a role not assigned', { assignments: [] }, 'ForbiddenException', 403],
])('refuses a token %s', async (_, changes, code, status) => {
  await using environment = await startAwsTestEnvironment()
  environment.aws.addSsoSession({
    accessToken: 'access-1',
    expiresAt: new Date(Date.now() + hour),
    ...client,
    assignments: [assignment],
    ...changes,
  })
  const url = `${environment.aws.url}/federation/credentials?role_name=Builder&account_id=111122223333`
  const response = await fetch(url, { headers: { 'x-amz-sso_bearer_token': 'access-1' } })
  expect({ status: response.status, code: response.headers.get('x-amzn-errortype') }).toEqual({ status, code })
})

test.each([
  ['ResourceNotFoundException', 404],
  ['TooManyRequestsException', 429],
])('answers %s where a test scripts it', async (code, status) => {
  await using environment = await startAwsTestEnvironment()
  await signIn(environment)
  environment.aws.failNext('GetRoleCredentials', { kind: 'error', code, status, message: 'as scripted' })
  const refusal = await refusalOf(resolve())
  expect({ refusal, requests: environment.aws.requests }).toEqual({
    refusal: { name: 'CredentialsProviderError', status: undefined, message: `${code}: as scripted` },
    requests: [{ ...asked, status }],
  })
})

test.each([
  ['an unknown refresh token', { refreshToken: 'other' }, {}, 400, 'InvalidGrantException', 'invalid_grant'],
  ['another client', { clientSecret: 'other' }, {}, 401, 'InvalidClientException', 'invalid_client'],
  ['a sign-in that is over', {}, { refreshExpiresAt: new Date(0) }, 400, 'ExpiredTokenException', 'expired_token'],
])('refuses to refresh with %s', async (_, sent, changes, status, code, error) => {
  await using environment = await startAwsTestEnvironment()
  await signIn(environment, { refreshToken: 'refresh-1', ...changes })
  const response = await fetch(`${environment.aws.url}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...client, grantType: 'refresh_token', refreshToken: 'refresh-1', ...sent }),
  })
  const found = { status: response.status, code: response.headers.get('x-amzn-errortype'), body: await response.json() }
  expect(found).toEqual({ status, code, body: { error, error_description: expect.any(String) } })
})

test('a refresh token is valid once', async () => {
  await using environment = await startAwsTestEnvironment()
  await signIn(environment, { refreshToken: 'refresh-1' })
  const body = JSON.stringify({ ...client, grantType: 'refresh_token', refreshToken: 'refresh-1' })
  const refresh = async () => (await fetch(`${environment.aws.url}/token`, { method: 'POST', body })).status
  expect([await refresh(), await refresh()]).toEqual([200, 400])
})
