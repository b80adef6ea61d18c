import { createHash } from 'node:crypto'
import { mkdir, readFile, readlink, stat, symlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fromLoginCredentials } from '@aws-sdk/credential-providers'
import { expect, test, vi } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import { createLoginFlow } from '../../../../src/sources/aws/find-aws-sign-in.ts'
import type { SignInTools } from '../../../../src/sources/oauth/flow.ts'
import { openListener } from '../../../../src/sources/oauth/listener/open-listener.ts'
import { toFailureParts } from '../../../setup/failure-parts.ts'
import { useFakeTimers } from '../../../setup/fake-timers.ts'
import { testHost } from '../../../setup/test-host.ts'
import { type AwsTestEnvironment, startAwsTestEnvironment } from '../../../stand-ins/aws/aws-test-environment.ts'
import { answerQuestion } from '../../../stand-ins/aws/pages/answer-question.ts'

const arn = 'arn:aws:iam::111122223333:user/dev'

interface FlowSettings {
  readonly canOpenBrowser?: boolean
  /** Is done to the file of the sign-in before it begins. */
  prepare?(path: string): Promise<void>
}

/** Starts a flow whose tools are real, except that a test gets the address in place of a browser. */
async function startFlow(
  { aws, useDirectory }: AwsTestEnvironment,
  { canOpenBrowser = true, prepare }: FlowSettings = {},
) {
  const directory = await useDirectory({
    config: { 'profile dev': { login_session: arn, region: 'eu-central-1' } },
  })
  await prepare?.(directory.loginCachePath(arn))
  const clock = { now: Date.now, startedAt: Date.now(), elapsedMs: () => 0 }
  const host = await testHost({ home: directory.environment.HOME!, clock })
  const site = {
    profile: 'dev',
    session: arn,
    region: 'eu-central-1',
    renewalHint: 'h',
    endpoints: {
      ...({ fips: false, dualStack: false, sts: 'regional' } as const),
      configured: { signin: { text: aws.url, setting: 'AWS_ENDPOINT_URL_SIGNIN' } },
    },
  }
  const flow = createLoginFlow(site, host)
  const shown = Promise.withResolvers<string>()
  const tools = {
    host,
    canOpenBrowser,
    signal: new AbortController().signal,
    beginStoring: () => {},
    call: {
      program: 'aws-bedrock-token',
      context: 'interactive',
      warn: () => {},
      deadline: new Deadline({ seconds: 20, hint: 'h' }, clock),
      network: { proxy: undefined, authorities: [] },
    },
    openListener: async (options: Parameters<SignInTools['openListener']>[0]) => {
      const listener = await openListener(options, { subject: flow.subject })
      return {
        ...listener,
        waitForCallback: (state: string) => listener.waitForCallback(state).finally(() => listener.finish({})),
      }
    },
    show: async ({ address }: Parameters<SignInTools['show']>[0]) => shown.resolve(address),
  } as unknown as SignInTools
  const end = flow.run(tools).then(() => 'signed in', toFailureParts)
  return { flow, end, address: shown.promise, path: directory.loginCachePath(arn) }
}

test('a person who allows it is signed in, with a file for this user alone', async () => {
  await using environment = await startAwsTestEnvironment()
  const { flow, end, address, path } = await startFlow(environment)
  const before = await flow.isSignedIn()
  await answerQuestion(await address, 'allow')
  const ended = await end
  const { accessToken, dpopKey, idToken, ...rest } = JSON.parse(await readFile(path, 'utf8'))
  expect({
    signedIn: [before, ended, await flow.isSignedIn()],
    ...rest,
    account: accessToken.accountId,
    keyBegins: dpopKey.split('\n')[0],
    idTokenParts: idToken.split('.').length,
    mode: ((await stat(path)).mode & 0o777).toString(8),
  }).toEqual({
    signedIn: [false, 'signed in', true],
    tokenType: 'aws_sigv4',
    clientId: 'arn:aws:signin:::devtools/same-device',
    refreshToken: 'login-refresh-1',
    account: '111122223333',
    keyBegins: '-----BEGIN EC PRIVATE KEY-----',
    idTokenParts: 3,
    mode: '600',
  })
})

test('the address holds the parameters of the AWS CLI, with a challenge for a verifier of 64 letters', async () => {
  await using environment = await startAwsTestEnvironment()
  const { end, address } = await startFlow(environment)
  const { origin, pathname, searchParams } = new URL(await address)
  await answerQuestion(await address, 'allow')
  await end
  const exchanged = environment.aws.requests.find(({ operation }) => operation === 'CreateOAuth2Token')?.parameters
  const { codeVerifier = '', redirectUri } = exchanged ?? {}
  expect({
    path: `${origin}${pathname}`,
    query: [...searchParams],
    verifier: codeVerifier.replace(/^[\w-]{64}$/, '64 letters'),
  }).toEqual({
    path: `${environment.aws.url}/v1/authorize`,
    query: [
      ['response_type', 'code'],
      ['client_id', 'arn:aws:signin:::devtools/same-device'],
      ['state', expect.any(String)],
      ['code_challenge_method', 'SHA-256'],
      ['scope', 'openid'],
      ['redirect_uri', redirectUri],
      ['code_challenge', createHash('sha256').update(codeVerifier).digest('base64url')],
    ],
    verifier: '64 letters',
  })
})

test('two sign-ins share neither a state nor a challenge', async () => {
  await using environment = await startAwsTestEnvironment()
  const flows = [await startFlow(environment), await startFlow(environment)]
  const addresses = await Promise.all(flows.map(({ address }) => address))
  const values = addresses.flatMap((address) =>
    ['state', 'code_challenge'].map((name) => new URL(address).searchParams.get(name)),
  )
  for (const [index, { end }] of flows.entries()) {
    await answerQuestion(addresses[index]!, 'deny')
    await end
  }
  expect(new Set(values).size).toBe(4)
})

test('the sign-in is one for the JavaScript SDK, too', async () => {
  await using environment = await startAwsTestEnvironment()
  const { end, address, path } = await startFlow(environment)
  await answerQuestion(await address, 'allow')
  await end
  const { accessToken } = JSON.parse(await readFile(path, 'utf8'))
  expect(await fromLoginCredentials({ profile: 'dev' })()).toEqual({
    accessKeyId: accessToken.accessKeyId,
    secretAccessKey: expect.any(String),
    sessionToken: expect.any(String),
    accountId: '111122223333',
    expiration: expect.any(Date),
    $source: { CREDENTIALS_LOGIN: 'AD' },
  })
})

test('a person who denies it is not signed in', async () => {
  await using environment = await startAwsTestEnvironment()
  const { flow, end, address } = await startFlow(environment)
  await answerQuestion(await address, 'deny')
  expect([await end, await flow.isSignedIn()]).toEqual([
    ['refused', `the sign-in to AWS as ${arn} was denied in the browser`, 'start again, and allow it there'],
    false,
  ])
})

test('a person who signs in as somebody else is told so, and nothing is overwritten', async () => {
  await using environment = await startAwsTestEnvironment()
  const { end, address, path } = await startFlow(environment)
  environment.aws.setPerson('arn:aws:iam::444455556666:user/other')
  await answerQuestion(await address, 'allow')
  expect(await end).toEqual([
    'refused',
    `you signed in to AWS as arn:aws:iam::444455556666:user/other, but profile "dev" is for ${arn}`,
    `start again and choose ${arn} in the browser; for the other, make a profile with: aws login --profile NAME`,
  ])
  expect(await readFile(path, 'utf8').catch(({ code }) => code)).toBe('ENOENT')
})

test('a file that is a link is refused before anybody is asked, and stays', async () => {
  await using environment = await startAwsTestEnvironment()
  const { flow, end, address, path } = await startFlow(environment, {
    prepare: async (file) => {
      await mkdir(dirname(file), { recursive: true })
      await symlink('/nonexistent/login', file)
    },
  })
  expect(await Promise.race([end, address])).toEqual([
    'not-configured',
    `${path} is a link, through which no sign-in is read or written`,
    `remove it with: rm '${path}'`,
  ])
  expect([await readlink(path), await flow.isSignedIn()]).toEqual(['/nonexistent/login', false])
})

test('a code that comes too late is reported as such', async () => {
  await using environment = await startAwsTestEnvironment()
  const { end, address } = await startFlow(environment)
  environment.aws.failNext('CreateOAuth2Token', {
    kind: 'error',
    code: 'AccessDeniedException',
    status: 401,
    reason: 'AUTHCODE_EXPIRED',
  })
  await answerQuestion(await address, 'allow')
  expect(await end).toEqual([
    'sign-in-required',
    'the console sign-in of profile "dev" took too long: AWS no longer accepts its code',
    'h',
  ])
})

test('the message says which command needs a person where no browser opens and nobody is at a terminal', async () => {
  await using environment = await startAwsTestEnvironment()
  const { end } = await startFlow(environment, { canOpenBrowser: false })
  expect({ end: await end, requests: environment.aws.requests }).toEqual({
    end: [
      'sign-in-required',
      'no browser opens here for the console sign-in of profile "dev", and AWS shows a code that is pasted in a terminal',
      "run in a terminal: aws-bedrock-token sign-in --profile 'dev'",
    ],
    requests: [],
  })
})

test('a service that takes the code and is silent ends the sign-in after ten seconds', async () => {
  await using environment = await startAwsTestEnvironment()
  const { aws } = environment
  const { end, address } = await startFlow(environment)
  aws.failNext('CreateOAuth2Token', { kind: 'silence' })
  useFakeTimers()
  await answerQuestion(await address, 'allow')
  while (!aws.requests.some(({ status }) => status === 'silence')) await new Promise(setImmediate)
  vi.advanceTimersByTime(10_000)
  const { host } = new URL(aws.url)
  expect(await end).toEqual(['unavailable', `${host} cannot be reached (ETIMEDOUT)`, `check what runs at ${host}`])
})
