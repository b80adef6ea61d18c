import { readFile } from 'node:fs/promises'
import { fromLoginCredentials } from '@aws-sdk/credential-providers'
import { expect, test } from 'vitest'
import { fetchCaller, refusalOf } from '../aws-test-client.ts'
import { type AwsTestEnvironment, startAwsTestEnvironment } from '../aws-test-environment.ts'

const arn = 'arn:aws:iam::111122223333:user/dev'

async function signIn(environment: AwsTestEnvironment, lifeMs: number) {
  const entry = environment.aws.addLoginSession({ arn, expiresAt: new Date(Date.now() + lifeMs) })
  const directory = await environment.useDirectory({
    config: { 'profile dev': { login_session: arn, region: 'eu-central-1' } },
    loginCache: { [arn]: entry },
  })
  return { entry, path: directory.loginCachePath(arn) }
}

const resolve = () => fromLoginCredentials({ profile: 'dev', clientConfig: { maxAttempts: 1 } })()

test('fresh credentials are used unchanged', async () => {
  await using environment = await startAwsTestEnvironment()
  const { entry } = await signIn(environment, 600_000)
  const { accessKeyId, secretAccessKey, sessionToken, accountId, expiresAt } = entry.accessToken
  const expiration = new Date(expiresAt)
  const key = await resolve()
  const before = [...environment.aws.requests]
  expect({ key, before, caller: await fetchCaller(key) }).toEqual({
    key: {
      accessKeyId,
      secretAccessKey,
      sessionToken,
      accountId,
      expiration,
      $source: { CREDENTIALS_LOGIN: 'AD' },
    },
    before: [],
    caller: { Arn: arn, UserId: 'AIDA11FC4CC919A5A20DB', Account: '111122223333' },
  })
})

test('credentials about to expire are refreshed with a proof of the key, and written where they were', async () => {
  await using environment = await startAwsTestEnvironment()
  const { entry, path } = await signIn(environment, 60_000)
  const key = await resolve()
  const { clientId, refreshToken } = entry
  expect([await fetchCaller(key), environment.aws.requests[0]]).toEqual([
    { Arn: arn, UserId: 'AIDA11FC4CC919A5A20DB', Account: '111122223333' },
    {
      operation: 'CreateOAuth2Token',
      parameters: { clientId, grantType: 'refresh_token', refreshToken },
      status: 200,
    },
  ])
  const { accessKeyId, secretAccessKey, sessionToken } = key
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    ...entry,
    accessToken: { ...entry.accessToken, accessKeyId, secretAccessKey, sessionToken, expiresAt: expect.any(String) },
    refreshToken: `${refreshToken}-refreshed`,
  })
})

test.each([
  ['TOKEN_EXPIRED', 'Your session has expired. Please reauthenticate.'],
  [
    'USER_CREDENTIALS_CHANGED',
    'Unable to refresh credentials because of a change in your password. Please reauthenticate with your new password.',
  ],
])('a refresh that is refused with %s is reported with that code', async (reason, message) => {
  await using environment = await startAwsTestEnvironment()
  await signIn(environment, 60_000)
  environment.aws.failNext('CreateOAuth2Token', { kind: 'error', code: 'AccessDeniedException', status: 400, reason })
  expect(await refusalOf(resolve())).toEqual({ name: 'CredentialsProviderError', status: undefined, message })
})
