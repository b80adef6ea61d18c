import { readFileSync, readlinkSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../../../pkg-scripts/tree.ts'
import type { ClientContext } from '../../../../src/contract/context.ts'
import { toContextVariables } from '../../../../src/contract/detect-context.ts'
import { readEntry } from '../../../../src/helper/cache/entry.ts'
import { isProcessAlive } from '../../../../src/runtime/host.ts'
import { cacheIn } from '../../../cache/start-run.ts'
import { listNoted } from '../../../setup/end-sign-ins.ts'
import { toStableText, toStableValue } from '../../../setup/to-stable-text.ts'
import { waitUntil } from '../../../setup/wait-until.ts'
import type { ProviderSettings } from '../../../stand-ins/provider/settings.ts'
import { deadline } from './made-up-sign-in.ts'
import { startSignedIn } from './start-signed-in.ts'

type SignedIn = Awaited<ReturnType<typeof startSignedIn>>

const printed = { status: 0, stdout: '{"token":"TOKEN"}\n', stderr: '' }
const anew = { NEW_FOR_MS: '0' }
const grace: ProviderSettings = { graceSec: 30 }
const strict: ProviderSettings = {}

const runOnce = ({ prepare }: SignedIn, argv: readonly string[] = [], env = {}) =>
  prepare(['--cache', 'none', ...argv], { ...anew, ...env }).begin()

const renewals = ({ provider }: SignedIn) => provider.requests('token', 'refresh_token').map(({ status }) => status)

/** Finds the process that renews, found as the runs find it. */
function findHolder(desk: SignedIn): number | undefined {
  return listNoted(cacheIn(desk), 'renewal')[0]
}

async function untilHolder(desk: SignedIn): Promise<number> {
  await waitUntil('a process renews', () => findHolder(desk) !== undefined)
  return findHolder(desk)!
}

/** Starts a renewal whose answer comes late, and waits until the provider has the request. */
async function startSlowRenewal(desk: SignedIn, laterMs: number) {
  const before = renewals(desk).length
  desk.provider.fail('token', { laterMs })
  const run = desk.prepare(['--cache', 'none'], anew)
  run.begin()
  await waitUntil('the provider has the refresh token', () => renewals(desk).length > before)
  return run
}

test('100 kills of runs sign nobody out, at a provider without a grace period and at one with it', async () => {
  await Promise.all([strict, grace].map(expectKillsHarmless))
})

async function expectKillsHarmless(settings: ProviderSettings): Promise<void> {
  const desk = await startSignedIn(settings)
  let killed = 0
  for (let round = 0; round < 20; round += 1) {
    const victims = Array.from({ length: 5 }, () => desk.prepare(['--cache', 'none'], anew))
    for (const victim of victims) victim.begin()
    await Promise.all(victims.map(({ kill }) => sleep(20 + Math.random() * 500).then(() => kill('SIGKILL'))))
    const outcomes = await Promise.all(victims.map(({ outcome }) => outcome))
    killed += outcomes.filter(({ status }) => status === 'SIGKILL').length
    expect([round, await runOnce(desk)]).toEqual([round, { status: 0, stdout: expect.any(String), stderr: '' }])
  }
  const answers = [...new Set(renewals(desk))]
  expect({ hasKilledMost: killed > 50, answers, warnings: desk.warnings }).toEqual({
    hasKilledMost: true,
    answers: [200],
    warnings: [],
  })
}

test('a run that is killed while the provider answers loses nothing', async () => {
  const desk = await startSignedIn()
  const run = await startSlowRenewal(desk, 700)
  const holder = await untilHolder(desk)
  run.kill('SIGKILL')
  const killed = await run.outcome
  await waitUntil('it has ended', () => !isProcessAlive(holder))
  const { tokens, renewedAt } = (await desk.store.read(deadline))!
  const next = toStableValue(await runOnce(desk, [], { NEW_FOR_MS: '60000' }))
  const left = await readdir(cacheIn(desk))
  expect({
    killed,
    refreshToken: tokens.refreshToken?.reveal(),
    isRenewed: (renewedAt ?? 0) > Date.now() - 60_000,
    next,
    renewals: renewals(desk),
    left: left.map((name) => name.replace(/[0-9a-f]{40}/, 'ID')).sort(),
    kept: await readdir(desk.files.directory),
  }).toEqual({
    killed: { status: 'SIGKILL', stdout: '', stderr: '' },
    refreshToken: expect.any(String),
    isRenewed: true,
    next: printed,
    renewals: [200],
    left: ['renewal-ID.lock', 'renewal-start-ID.lock'],
    kept: [`${desk.files.name}.lock`, `${desk.files.name}.sealed`],
  })
})

test('the process that renews has no parent and no secret', async () => {
  const desk = await startSignedIn()
  desk.provider.fail('token', { laterMs: 700 })
  const session = {
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus',
    XDG_RUNTIME_DIR: '/run/user/1000',
    NO_PROXY: '127.0.0.1',
    HTTPS_PROXY: 'http://proxy.example:3128',
    AWS_CA_BUNDLE: join(desk.home, 'ca.pem'),
  }
  const given = {
    ...session,
    ...anew,
    CLIENT_API_KEY: 'canary',
    GATEPASS_TEST_TOKEN: 'canary',
    HELPER_CHECK_RUN: 'm.1',
  }
  const run = desk.prepare(['--cache', 'none'], given)
  const outcome = run.begin()
  const pid = await untilHolder(desk)
  const { env, ...seen } = readProcess(pid)
  const secrets = Object.values(env).filter((value) => value === 'canary')
  expect({ ...seen, env, secrets, outcome: toStableValue(await outcome) }).toEqual({
    parent: 1,
    files: ['/dev/null', '/dev/null', '/dev/null'],
    env: {
      ...session,
      HOME: desk.home,
      PATH: '/usr/bin:/bin',
      VENDOR_HELPER_CONTEXT: 'background',
      GATEPASS_RENEWAL_STEP: 'hold',
      GATEPASS_TEST_SETTINGS: expect.any(String),
      GATEPASS_RENEWAL_CALLER: expect.any(String),
      GATEPASS_RENEWAL_ISSUED: expect.any(String),
    },
    secrets: [],
    outcome: printed,
  })
})

function readProcess(pid: number) {
  const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
  return {
    env: Object.fromEntries(variables.map((variable) => variable.split(/=(.*)/s).slice(0, 2) as [string, string])),
    parent: Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
    files: [0, 1, 2].map((descriptor) => readlinkSync(`/proc/${pid}/fd/${descriptor}`)),
  }
}

test('where the process that renews is killed, a run begins anew, which a grace period allows', async () => {
  const desk = await startSignedIn(grace)
  const run = await startSlowRenewal(desk, 5_000)
  process.kill(await untilHolder(desk), 'SIGKILL')
  expect(toStableValue(await run.outcome)).toEqual(printed)
  expect(renewals(desk)).toEqual([200, 200])
})

test('a person is needed where the process that renews is killed after the refresh token was used up', async () => {
  const desk = await startSignedIn(strict)
  const run = await startSlowRenewal(desk, 5_000)
  process.kill(await untilHolder(desk), 'SIGKILL')
  const subject = new URL(desk.provider.issuer).host
  expect(await run.outcome).toEqual({
    status: 4,
    stdout: '',
    stderr: `signed-in: the sign-in to ${subject} has ended (invalid_grant); it says: grant request is invalid\nsigned-in: hint: start a new session, so that a person can sign in\n`,
  })
  expect(renewals(desk)).toEqual([200, 400])
})

test('waiting runs are told in the same words why the provider did not renew', async () => {
  const desk = await startSignedIn()
  desk.provider.fail('token', ...Array.from({ length: 2 }, () => ({ status: 403, body: 'Request blocked' })))
  const runs = Array.from({ length: 6 }, () => desk.prepare(['--cache', 'none'], anew))
  const outcomes = await Promise.all(runs.map((run) => run.begin()))
  const refused = desk.provider.requests('token').filter(({ status }) => status === 403).length
  await waitUntil('the note is gone', () => findHolder(desk) === undefined)
  expect(toStableValue({ outcomes, refused, next: await runOnce(desk) })).toEqual({
    outcomes: Array(6).fill({
      status: 6,
      stdout: '',
      stderr:
        'signed-in: 127.0.0.1:PORT cannot be reached: something answered with HTTP 403 and no error of OAuth\nsigned-in: hint: find out what answers instead of the identity provider: a sign-in page of the network, or a proxy\n',
    }),
    refused: 2,
    next: printed,
  })
})

test('a token endpoint that hangs signs nobody out', async () => {
  const desk = await startSignedIn(grace)
  desk.provider.fail('token', 'silence')
  const started = performance.now()
  const run = desk.prepare(['--cache', 'none', '--client-timeout', '6'], anew).begin()
  const holder = await untilHolder(desk)
  const late = await run
  // A run that comes meanwhile joins it, and gets what the second request brings.
  const joined = await runOnce(desk, [], { NEW_FOR_MS: '60000' })
  const hasWaited = performance.now() - started > 18_000
  expect(toStableValue({ late, joined, hasWaited, renewals: renewals(desk) })).toEqual({
    late: { status: 7, stdout: '', stderr: `signed-in: ${tookLonger(4)}\nsigned-in: ${goesOn}` },
    joined: printed,
    hasWaited: true,
    renewals: [200, 200],
  })
  await waitUntil('it has ended', () => !isProcessAlive(holder))
})

const tookLonger = (sec: number) =>
  `in the renewal of the sign-in to 127.0.0.1:PORT, 127.0.0.1:PORT (waiting for 127.0.0.1:PORT to answer) took longer than the ${sec} s of this call`
const goesOn = 'hint: try again in a moment: the renewal goes on without this run, and the next run uses its result\n'

test('while a renewal hangs, the tokens that are left are served where the context allows that', async () => {
  const desk = await startSignedIn(grace)
  await desk.signIn(900)
  desk.provider.fail('token', 'silence')
  const run = (context: 'background' | 'mid-session-refresh') =>
    desk.prepareOidcToken(['--client-timeout', '5', '--cache', 'none'], toContextVariables(context)).begin()
  const [served, refused] = await Promise.all([run('background'), run('mid-session-refresh')])
  expect(toStableValue([served, refused])).toEqual([
    {
      ...printed,
      stderr: `\
oidc-token: warning: ${tookLonger(3)}; going on with the stored tokens, which expire at DATE
${tooShort} set ttlSec in the client's document, and client-ttl here, to N
`,
    },
    { status: 7, stdout: '', stderr: `oidc-token: ${tookLonger(3)}\noidc-token: ${goesOn}` },
  ])
})

test('an early renewal that takes longer than a call waits serves the next call', async () => {
  const desk = await startSignedIn()
  await desk.signIn(3_000)
  const argv = ['--client-ttl', '600', '--renew-early', '90']
  const first = await desk.prepareOidcToken(argv).begin()
  const cache = cacheIn(desk)
  const name = (await readdir(cache)).find((file) => /^oidc-token-.*\.json$/.test(file)) ?? ''
  const location = { directory: cache, program: 'oidc-token', key: name.slice('oidc-token-'.length, -'.json'.length) }
  const entry = JSON.parse(readFileSync(join(cache, name), 'utf8'))
  await writeFile(join(cache, name), JSON.stringify({ ...entry, minted: Date.now() - 2_000_000, earlyFraction: 0.99 }))
  desk.provider.fail('token', { laterMs: 7_000 })
  const begun = performance.now()
  const second = await desk.prepareOidcToken(argv).begin()
  const isInTime = performance.now() - begun < 6_900
  const holder = await untilHolder(desk)
  await waitUntil('the renewal is stored', () => !isProcessAlive(holder))
  const kept = (await readEntry(location))?.token.reveal()
  const next = await desk.prepareOidcToken(argv, toContextVariables('mid-session-refresh')).begin()
  expect({
    first: toStableValue(first),
    second,
    isInTime,
    kept,
    next: toStableValue(next),
    isNew: next.stdout !== first.stdout,
    renewals: renewals(desk),
  }).toEqual({
    first: printed,
    second: first,
    isInTime: true,
    kept: (JSON.parse(first.stdout) as { token: string }).token,
    next: printed,
    isNew: true,
    renewals: [200, 200],
  })
})

test('a run renews by itself where no process can be started for the others', async () => {
  const desk = await startSignedIn()
  await mkdir(join(desk.home, '.cache'), { recursive: true })
  await writeFile(join(desk.home, '.cache', 'gatepass'), 'no directory')
  expect(toStableValue(await runOnce(desk))).toEqual(printed)
  expect(renewals(desk)).toEqual([200])
})

test('the process that renews ignores an action after the options, as git appends it', async () => {
  const desk = await startSignedIn()
  desk.provider.fail('token', { laterMs: 300 })
  const argv = [...desk.argv, '--format', 'git', '--for-host', 'git.example', 'get']
  const input = 'protocol=https\nhost=git.example\n\n'
  const env = { HOME: desk.home, PATH: '/usr/bin:/bin' }
  const run = execa(process.execPath, [toBundlePath('oidc-token'), ...argv], { env, extendEnv: false, input })
  await untilHolder(desk)
  const { exitCode, stdout, stderr } = await run
  expect([exitCode, toStableText(stdout).replace(/\d+$/, 'SECONDS'), stderr]).toEqual([
    ...[0, 'username=oauth2\npassword=TOKEN\npassword_expiry_utc=SECONDS', ''],
  ])
})

const ended = 'the sign-in to 127.0.0.1:PORT has ended (invalid_grant); it says: grant request is invalid'
const signInAnew =
  'oidc-token: hint: start a new session, which lets a person sign in, or run: oidc-token sign-in --client-id gatepass --issuer http://127.0.0.1:PORT --refresh-token-store file --bearer-token-type access_token --scopes openid --cache none\n'
const tooShort = 'oidc-token: warning: the token lives N s, but the client keeps it for 3600 s:'

/** The outcomes of a refresh after the end of the sign-in, and of a call after it that nobody waits for. */
const ofLeftTokens = {
  expired: {
    refresh: {
      ...printed,
      stderr: `\
oidc-token: warning: ${ended}; going on with the stored tokens, which expire at DATE
${tooShort} set ttlSec in the client's document, and client-ttl here, to N
`,
    },
    later: {
      ...printed,
      stderr: `${tooShort} it is not renewed, because the sign-in has no refresh token; set authorization-parameter to prompt=consent, without which many providers ignore offline_access, and sign in again\n`,
    },
  },
  refused: {
    refresh: { status: 4, stdout: '', stderr: `oidc-token: ${ended}\n${signInAnew}` },
    later: { status: 4, stdout: '', stderr: `oidc-token: nobody is signed in to 127.0.0.1:PORT\n${signInAnew}` },
  },
}

test.each([
  ['are served, also to a process that comes for the first time', 'expired'],
  ['are served to nobody where the gateway has refused them', 'refused'],
] as const)('where the provider has ended the sign-in, the tokens that are left %s', async (_, cause) => {
  const desk = await startSignedIn()
  await desk.signIn(900)
  const run = (context: ClientContext, argv: readonly string[] = []) =>
    desk.prepareOidcToken(['--cache', 'none', ...argv], toContextVariables(context)).begin()
  // A refresh tells of a refusal where another run was given the token before it.
  const before = cause === 'refused' ? [await run('interactive', ['--client-ttl', '600'])] : []
  desk.provider.revokeEverything()
  const [refresh, later] = [await run('mid-session-refresh'), await run('background')]
  expect(toStableValue({ before, refresh, later, renewals: renewals(desk) })).toEqual({
    before: before.map(() => printed),
    ...ofLeftTokens[cause],
    renewals: [400],
  })
})

test.each(['basic', 'post'] as const)(
  'the process that renews has the secret of the client from its file, by %s',
  async (sent) => {
    const desk = await startSignedIn({ clientSecret: { value: 'canary-secret', sent } })
    await writeFile(join(desk.home, 'client secret'), 'canary-secret\n', { mode: 0o600 })
    desk.provider.fail('token', { laterMs: 500 })
    const argv = ['--client-secret-file', '~/client secret', '--client-auth', sent, '--cache', 'none']
    const outcome = desk.prepareOidcToken(argv).begin()
    const { env } = readProcess(await untilHolder(desk))
    expect(Object.values(env).filter((value) => value.includes('canary'))).toEqual([])
    expect(toStableValue(await outcome)).toEqual(printed)
  },
)
