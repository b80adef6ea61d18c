import { existsSync } from 'node:fs'
import { readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { allow, deny, type SignInDesk, startDesk } from './sign-in-desk.ts'
import { registrationFile, startUrl } from './sso-bench.ts'

const registrationPath = ({ path }: SignInDesk, file = registrationFile) => join(dirname(path), file)

const readClient = async (desk: SignInDesk) => JSON.parse(await readFile(registrationPath(desk), 'utf8')).clientId

test('a browser comes back with a code, and the sign-in is stored where the AWS CLI keeps it', async () => {
  await using desk = await startDesk()
  const outcome = await desk.signInAs(allow)
  const text = await readFile(desk.path, 'utf8')
  const { expiresAt, registrationExpiresAt } = JSON.parse(text)
  expect({
    outcome,
    text,
    registration: await readFile(registrationPath(desk), 'utf8'),
    asked: desk.asked(),
    clientName: desk.aws.requests[0]?.parameters.clientName,
  }).toEqual({
    outcome: [true, 'shown'],
    text: `{"startUrl": "${startUrl}", "region": "eu-central-1", "accessToken": "canary-sso-access-1", "expiresAt": "${expiresAt}", "clientId": "client-1", "clientSecret": "canary-client-secret-1", "registrationExpiresAt": "${registrationExpiresAt}", "refreshToken": "canary-sso-refresh-1"}`,
    registration: `{"clientId": "client-1", "clientSecret": "canary-client-secret-1", "expiresAt": "${registrationExpiresAt}", "scopes": ["sso:account:access"], "grantTypes": ["authorization_code", "refresh_token"]}`,
    asked: ['RegisterClient 200', 'GET /authorize 200', 'POST /sign-in/decision 303', 'CreateToken 200'],
    clientName: 'botocore-client-corp',
  })
})

test('the client that the AWS CLI has registered is used, until it is about to end', async () => {
  await using desk = await startDesk()
  const scopes = ['sso:account:access']
  const grantTypes = ['authorization_code', 'refresh_token']
  const known = desk.aws.sso.addClient({ scopes, grantTypes, issuerUrl: startUrl })
  const store = (expiresAt: string) => {
    const { clientId, clientSecret } = known
    return writeFile(registrationPath(desk), JSON.stringify({ clientId, clientSecret, expiresAt, scopes, grantTypes }))
  }
  const signInAgain = async (expiresAt: string) => {
    await store(expiresAt)
    return [await desk.signInAs(allow), (await desk.readStored()).clientId, await readClient(desk)]
  }
  await desk.signIn()
  const first = await signInAgain('2099-01-01T00:00:00Z')
  const second = await signInAgain(new Date(Date.now() + 14 * 60_000).toISOString())
  expect([first, second]).toEqual([
    [[true, 'shown'], known.clientId, known.clientId],
    [[true, 'shown'], 'client-2', 'client-2'],
  ])
})

test('a client that AWS has forgotten is replaced, once', async () => {
  await using desk = await startDesk()
  await desk.signInAs(deny)
  let isFirst = true
  const forgetful = async (prompt: Parameters<typeof allow>[0]) => {
    const result = allow(prompt)
    if (isFirst) desk.aws.failNext('CreateToken', { kind: 'error', code: 'InvalidClientException', status: 401 })
    isFirst = false
    return result
  }
  const once = [await desk.signInAs(forgetful), await readClient(desk)]
  desk.aws.failAlways('CreateToken', { kind: 'error', code: 'InvalidClientException', status: 401 })
  expect({ once, always: await desk.signInAs(allow) }).toEqual({
    once: [[true, 'shown', 'shown'], 'client-2'],
    always: [
      'refused',
      `AWS SSO in eu-central-1 refused the sign-in to the SSO session "corp" at ${startUrl} (invalid_client)`,
      'correct sso_start_url, sso_region or sso_registration_scopes in /config: IAM Identity Center shows the first two',
    ],
  })
})

test('without a session, or without a browser, a person confirms a code anywhere', async () => {
  const old = { startUrl, region: 'eu-central-1' }
  await using desk = await startDesk(old)
  const outcome = await desk.signInAs(allow)
  const { address, userCode } = desk.prompts[0]!
  const { grantTypes } = JSON.parse(
    await readFile(registrationPath(desk, 'd523465694e236d83246e62a7fc592e4abdbda81.json'), 'utf8'),
  )
  expect({
    outcome,
    prompt: [new URL(address).pathname, userCode],
    stored: await desk.readStored(),
    grantTypes,
    asked: desk.asked().filter((request) => request.startsWith('CreateToken')),
  }).toEqual({
    outcome: [true, 'shown'],
    prompt: ['/device', 'WXYZ-0001'],
    stored: {
      ...old,
      accessToken: 'canary-sso-access-1',
      expiresAt: expect.any(String),
      clientId: 'client-1',
      clientSecret: 'canary-client-secret-1',
      registrationExpiresAt: expect.any(String),
    },
    grantTypes: undefined,
    asked: ['CreateToken 400', 'CreateToken 200'],
  })
})

test('a device that is permitted already shows nothing', async () => {
  await using desk = await startDesk()
  desk.aws.sso.allowDevices()
  expect([await desk.signInAs(allow, { canOpenBrowser: false }), desk.prompts]).toEqual([[true], []])
})

test('a person who denies it is told so, and nothing is stored', async () => {
  await using desk = await startDesk()
  expect(await desk.signInAs(deny)).toEqual([
    'refused',
    'the sign-in to the SSO session "corp" was denied in the browser',
    'start again, and allow it there',
  ])
  expect(existsSync(desk.path)).toBe(false)
})

test.each([
  [
    'RegisterClient',
    { kind: 'error', code: 'TooManyRequestsException', status: 429 },
    'unavailable',
    'AWS SSO in eu-central-1 is busy or broken (TooManyRequestsException, HTTP 429)',
  ],
  [
    'RegisterClient',
    { kind: 'error', code: 'SlowDownException', status: 400 },
    'unavailable',
    'AWS SSO in eu-central-1 is busy (slow_down, HTTP 400)',
  ],
  [
    'RegisterClient',
    { kind: 'error', code: 'InvalidRequestException', status: 400 },
    'refused',
    `AWS SSO in eu-central-1 refused the sign-in to the SSO session "corp" at ${startUrl} (invalid_request)`,
  ],
  [
    'CreateToken',
    { kind: 'error', code: 'InvalidGrantException', status: 400 },
    'refused',
    'AWS SSO did not accept the code with which the sign-in to the SSO session "corp" ended (invalid_grant)',
  ],
] as const)('the answer of %s with %j is reported once', async (operation, failure, kind, message) => {
  await using desk = await startDesk()
  desk.aws.failAlways(operation, failure)
  expect(await desk.signInAs(allow)).toEqual([kind, message, expect.any(String)])
})

test('a link in place of the sign-in is refused before anybody signs in', async () => {
  await using desk = await startDesk()
  await desk.signIn()
  await rm(desk.path)
  await symlink('/nowhere', desk.path)
  expect(await desk.signInAs(allow)).toEqual([
    'not-configured',
    `${desk.path} is a link, through which no sign-in is read or written`,
    `remove it with: rm '${desk.path}'`,
  ])
  expect(desk.asked()).toEqual([])
})

test('a damaged file is replaced', async () => {
  await using desk = await startDesk()
  await desk.signIn()
  await writeFile(desk.path, '{')
  await writeFile(registrationPath(desk), '{')
  expect(await desk.signInAs(allow)).toEqual([true, 'shown'])
})

test.each([
  ['RegisterClient', true],
  ['StartDeviceAuthorization', false],
  ['CreateToken', true],
] as const)(
  'a silent %s ends the sign-in after ten seconds, so that the next start may begin one',
  async (operation, canOpenBrowser) => {
    await using desk = await startDesk()
    desk.aws.failNext(operation, { kind: 'silence' })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const end = desk.signInAs(allow, { canOpenBrowser })
    while (!desk.asked().includes(`${operation} silence`)) await new Promise(setImmediate)
    vi.advanceTimersByTime(10_000)
    expect(await end).toEqual([
      'unavailable',
      'AWS SSO in eu-central-1 cannot be reached (ETIMEDOUT)',
      'check the network, the VPN and the proxy',
    ])
  },
)

test('a silent poll for a device counts as one that failed', async () => {
  await using desk = await startDesk()
  desk.aws.failNext('CreateToken', { kind: 'silence' })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const end = desk.signInAs(allow, { canOpenBrowser: false })
  while (!desk.asked().includes('CreateToken silence')) await new Promise(setImmediate)
  vi.advanceTimersByTime(10_000)
  vi.useRealTimers()
  expect(await end).toEqual([true, 'shown'])
})
