import { chmod, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { fromLoginCredentials } from '@aws-sdk/credential-providers'
import { expect, test, vi } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import { fetchLoginCredentials, hasFreshSession } from '../../../../src/sources/aws/login/fetch-login-credentials.ts'
import { toFailureParts } from '../../../setup/failure-parts.ts'
import { toStableText } from '../../../setup/to-stable-text.ts'
import { type AwsTestEnvironment, startAwsTestEnvironment } from '../../../stand-ins/aws/aws-test-environment.ts'

const arn = 'arn:aws:iam::111122223333:user/dev'

/** Returns a person who is signed in to the console, in a process whose AWS is the stand-in. */
async function signIn(environment: AwsTestEnvironment, lifeMs: number) {
  const entry = environment.aws.addLoginSession({ arn, expiresAt: new Date(Date.now() + lifeMs) })
  const directory = await environment.useDirectory({
    config: { 'profile dev': { login_session: arn, region: 'eu-central-1' } },
    loginCache: { [arn]: entry },
  })
  const path = directory.loginCachePath(arn)
  const warn = vi.fn<(message: string) => void>()
  const host = {
    env: {},
    home: directory.environment.HOME!,
    clock: { now: Date.now, startedAt: Date.now(), elapsedMs: () => 0 },
  }
  const call = {
    program: 'p',
    context: 'background',
    warn,
    deadline: new Deadline({ seconds: 20, hint: 'h' }, host.clock),
    network: { proxy: undefined, authorities: [] },
  } as unknown as Parameters<typeof fetchLoginCredentials>[0]['call']
  const site = {
    profile: 'dev',
    session: arn,
    region: 'eu-central-1',
    renewalHint: 'run: aws login --profile dev',
    endpoints: {
      fips: false,
      dualStack: false,
      sts: 'regional' as const,
      configured: { signin: { text: environment.aws.url, setting: 'AWS_ENDPOINT_URL_SIGNIN' } },
    },
  } as const
  const context = { site, host, call }
  const fetchKeys = () => fetchLoginCredentials(context).then(({ accessKeyId }) => accessKeyId, toFailureParts)
  return { entry, path, warn, context, fetchKeys }
}

const minute = 60_000

test('five runs renew a sign-in once, and the JavaScript SDK reads the result', async () => {
  await using environment = await startAwsTestEnvironment()
  const { path, fetchKeys, context } = await signIn(environment, 4 * minute)
  const wasFresh = await hasFreshSession(context)
  const keys = await Promise.all(Array.from({ length: 5 }, fetchKeys))
  const operations = environment.aws.requests.map(({ operation }) => operation)
  expect({ wasFresh, keys, operations, mode: ((await stat(path)).mode & 0o777).toString(8) }).toEqual({
    wasFresh: false,
    keys: Array(5).fill('ASIASTANDIN000000002'),
    operations: ['CreateOAuth2Token'],
    mode: '600',
  })
  const ofSdk = await fromLoginCredentials({ profile: 'dev' })()
  const isFresh = await hasFreshSession(context)
  expect({ ofSdk, isFresh, requests: environment.aws.requests.length }).toEqual({
    ofSdk: {
      accessKeyId: 'ASIASTANDIN000000002',
      secretAccessKey: expect.any(String),
      sessionToken: expect.any(String),
      accountId: '111122223333',
      expiration: expect.any(Date),
      $source: { CREDENTIALS_LOGIN: 'AD' },
    },
    isFresh: true,
    requests: 1,
  })
})

test('credentials that the JavaScript SDK has renewed are used', async () => {
  await using environment = await startAwsTestEnvironment()
  const { fetchKeys } = await signIn(environment, 4 * minute)
  const { accessKeyId } = await fromLoginCredentials({ profile: 'dev' })()
  expect([await fetchKeys(), environment.aws.requests.length]).toEqual([accessKeyId, 1])
})

test('the successor of a refresh token that another program has used is tried', async () => {
  await using environment = await startAwsTestEnvironment()
  const { entry, path, fetchKeys } = await signIn(environment, -minute)
  const successor = environment.aws.addLoginSession({ arn, expiresAt: new Date(Date.now() - minute) })
  const replace = async () => {
    await writeFile(`${path}.other`, JSON.stringify(successor))
    await rename(`${path}.other`, path)
  }
  environment.aws.failNext('CreateOAuth2Token', { kind: 'late', after: replace })
  await writeFile(path, JSON.stringify({ ...entry, refreshToken: 'used' }))
  expect({ keys: await fetchKeys(), requests: environment.aws.requests.map(({ status }) => status) }).toEqual({
    keys: 'ASIASTANDIN000000003',
    requests: [401, 200],
  })
})

test('a refusal changes nothing in the file', async () => {
  await using environment = await startAwsTestEnvironment()
  const { path, fetchKeys } = await signIn(environment, 4 * minute)
  const before = await readFile(path, 'utf8')
  const reason = 'USER_CREDENTIALS_CHANGED'
  environment.aws.failAlways('CreateOAuth2Token', { kind: 'error', code: 'AccessDeniedException', status: 403, reason })
  expect(await fetchKeys()).toEqual([
    'sign-in-required',
    `the console sign-in of profile "dev" has ended, because the password of ${arn} or its permissions have changed`,
    'run: aws login --profile dev',
  ])
  expect(await readFile(path, 'utf8')).toBe(before)
})

test('while AWS is down, credentials that still work are used, with a warning', async () => {
  await using environment = await startAwsTestEnvironment()
  const { entry, fetchKeys, warn } = await signIn(environment, 4 * minute)
  environment.aws.failAlways('CreateOAuth2Token', { kind: 'error', code: 'Broken', status: 500 })
  const accessKeyId = await fetchKeys()
  const end = new Date(entry.accessToken.expiresAt).toISOString()
  expect({
    accessKeyId,
    warnings: warn.mock.calls,
    asked: environment.aws.requests.map(({ operation, status }) => `${operation} ${status}`),
  }).toEqual({
    accessKeyId: entry.accessToken.accessKeyId,
    warnings: [
      [
        `the console sign-in of profile "dev" cannot be renewed now: the AWS sign-in service in eu-central-1 is busy or broken (HTTP 500); its credentials are used until ${end}`,
      ],
    ],
    asked: Array(3).fill('CreateOAuth2Token 500'),
  })
})

test('a lost answer is asked for again, with a proof of its own', async () => {
  await using environment = await startAwsTestEnvironment()
  const { fetchKeys } = await signIn(environment, -minute)
  environment.aws.failNext('CreateOAuth2Token', { kind: 'reset' })
  environment.aws.failNext('CreateOAuth2Token', { kind: 'error', code: 'Busy', status: 429 })
  expect({ keys: await fetchKeys(), requests: environment.aws.requests.map(({ status }) => status) }).toEqual({
    keys: 'ASIASTANDIN000000002',
    requests: ['reset', 429, 200],
  })
})

test.each([
  [
    'a damaged file counts as missing',
    async (path: string) => writeFile(path, '{"accessToken":'),
    () => ['sign-in-required', 'the console sign-in of profile "dev" is damaged', 'run: aws login --profile dev'],
  ],
  [
    'a link is not followed, and not replaced',
    async (path: string) => {
      await rename(path, `${path}.real`)
      await symlink(`${path}.real`, path)
    },
    (path: string) => [
      'not-configured',
      `${path} is a link, through which no sign-in is read or written`,
      `remove it with: rm '${path}'`,
    ],
  ],
  [
    'a file that everybody may write',
    async (path: string) => chmod(path, 0o666),
    (path: string) => [
      'not-configured',
      `${path} can be written by every user of this machine`,
      `run: chmod o-w '${path}'`,
    ],
  ],
])('%s', async (_, change, toFailure) => {
  await using environment = await startAwsTestEnvironment()
  const { path, fetchKeys } = await signIn(environment, -minute)
  await change(path)
  expect({ keys: await fetchKeys(), requests: environment.aws.requests }).toEqual({
    keys: toFailure(path),
    requests: [],
  })
})

test('AWS is not asked where the file cannot be locked', async () => {
  await using environment = await startAwsTestEnvironment()
  const { path, fetchKeys, warn, entry } = await signIn(environment, 4 * minute)
  await writeFile(`${path}.lock`, 'no lock')
  expect([await fetchKeys(), environment.aws.requests]).toEqual([entry.accessToken.accessKeyId, []])
  expect(warn.mock.calls.map(([said]) => toStableText(String(said)))).toEqual([
    `the console sign-in of profile "dev" cannot be renewed now: cannot lock ${toStableText(path)}.lock (file is not a database); its credentials are used until DATE`,
  ])
})
