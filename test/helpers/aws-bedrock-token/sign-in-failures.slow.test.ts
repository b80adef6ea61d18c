import { rm, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { account, inMinutes, signInToConsole, signInToSso, startUrl } from './sign-in.ts'
import { failure, startWorkbench, user } from './workbench.ts'

const argv = ['--profile', 'dev']
const login = 'start a new session, which lets a person sign in, or run: aws-bedrock-token sign-in --profile dev'

test('for a person who never signed in to the SSO session the hint is the command', async () => {
  await using bench = await startWorkbench()
  const directory = await signInToSso(bench)
  await rm(directory.ssoCachePath('corp'))
  expect(await bench.run({ argv })).toEqual(failure(4, 'the SSO session "corp" is not signed in', login))
})

test.each(['', '{}', '{"accessToken":"canary"}', '{"accessToken":"canary","expiresAt":"soon"}'])(
  'a damaged sign-in counts as missing: %j',
  async (text) => {
    await using bench = await startWorkbench()
    const directory = await signInToSso(bench)
    await writeFile(directory.ssoCachePath('corp'), text)
    expect(await bench.run({ argv })).toEqual(failure(4, 'the SSO session "corp" is not signed in', login))
  },
)

test('for an expired sign-in that cannot be renewed the message says when it expired', async () => {
  await using bench = await startWorkbench()
  await signInToSso(bench, { expiresAt: new Date('2020-01-01T00:00:00Z') })
  expect(await bench.run({ argv })).toEqual(
    failure(4, 'the SSO session "corp" expired at 2020-01-01T00:00:00.000Z', login),
  )
})

test('a sign-in in the older form has its own command', async () => {
  await using bench = await startWorkbench()
  await signInToSso(bench, { expiresAt: new Date('2020-01-01T00:00:00Z'), refreshToken: 'canary-refresh' })
  expect(await bench.run({ argv: ['--profile', 'old'] })).toEqual(
    failure(4, `the SSO session "${startUrl}" expired at 2020-01-01T00:00:00.000Z`, login.replace('dev', 'old')),
  )
})

test('a sign-in that AWS no longer renews is reported', async () => {
  await using bench = await startWorkbench()
  const expiresAt = new Date('2020-01-01T00:00:00Z')
  await signInToSso(bench, { expiresAt, refreshToken: 'canary-refresh', refreshExpiresAt: expiresAt })
  expect(await bench.run({ argv })).toEqual(
    failure(4, 'the SSO session "corp" expired at 2020-01-01T00:00:00.000Z and cannot be renewed', login),
  )
})

test('a sign-in that AWS ended early is reported', async () => {
  await using bench = await startWorkbench()
  await signInToSso(bench)
  bench.aws.failAlways('GetRoleCredentials', { kind: 'error', code: 'UnauthorizedException', status: 401 })
  expect(await bench.run({ argv })).toEqual(failure(4, 'the SSO session "corp" is no longer accepted', login))
})

test.each([
  ['reset', { kind: 'reset' }, 'cannot be reached (ECONNRESET)', 'check the network, the VPN and the proxy'],
  [
    '503',
    { kind: 'error', code: 'ServiceUnavailable', status: 503 },
    'is busy or broken (ServiceUnavailable, HTTP 503)',
    'try again in a moment',
  ],
  [
    '429',
    { kind: 'error', code: 'SlowDownException', status: 429 },
    'is busy or broken (SlowDownException, HTTP 429)',
    'try again in a moment',
  ],
] as const)('a sign-in that cannot be renewed now (%s) needs no person', async (_, trouble, message, hint) => {
  await using bench = await startWorkbench()
  await signInToSso(bench, { expiresAt: inMinutes(-5), refreshToken: 'canary-refresh' })
  bench.aws.failAlways('CreateToken', trouble)
  expect(await bench.run({ argv })).toEqual(failure(6, `AWS SSO in us-west-2 ${message}`, hint))
})

test('a role that is not assigned is named with its account and profile', async () => {
  await using bench = await startWorkbench()
  const directory = await signInToSso(bench, { assignments: [] })
  expect(await bench.run({ argv })).toEqual(
    failure(
      5,
      `AWS SSO refused the role Builder in account ${account} of profile "dev": ForbiddenException`,
      `have that role assigned to you, or correct sso_account_id and sso_role_name in ${directory.configPath}`,
    ),
  )
})

test('for a person who is not signed in to the console the hint is the command', async () => {
  await using bench = await startWorkbench()
  const directory = await signInToConsole(bench, user, inMinutes(60))
  await rm(directory.loginCachePath(user))
  expect(await bench.run({ argv })).toEqual(
    failure(
      4,
      'the console sign-in of profile "dev" is missing',
      'start a new session, which lets a person sign in, or run: aws-bedrock-token sign-in --profile dev',
    ),
  )
})

test('a console sign-in that AWS no longer renews is reported', async () => {
  await using bench = await startWorkbench()
  await signInToConsole(bench, user, inMinutes(-5))
  const reason = 'TOKEN_EXPIRED'
  bench.aws.failAlways('CreateOAuth2Token', { kind: 'error', code: 'AccessDeniedException', status: 401, reason })
  expect(await bench.run({ argv })).toEqual(
    failure(
      4,
      'the console sign-in of profile "dev" has ended',
      'start a new session, which lets a person sign in, or run: aws-bedrock-token sign-in --profile dev',
    ),
  )
})

test('a console sign-in that cannot be renewed now does not ask for a sign-in', async () => {
  await using bench = await startWorkbench()
  await signInToConsole(bench, user, inMinutes(-5))
  bench.aws.failAlways('CreateOAuth2Token', { kind: 'error', code: 'InternalServerException', status: 500 })
  expect(await bench.run({ argv })).toEqual(
    failure(6, 'the AWS sign-in service in eu-central-1 is busy or broken (HTTP 500)', 'try again in a moment'),
  )
})
