import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startClientProcess } from '../../setup/client-process.ts'
import { prints } from '../../setup/run-program.ts'
import { toStableText, toStableValue } from '../../setup/to-stable-text.ts'
import { createPerson } from '../../stand-ins/provider/person/create-person.ts'
import { opens, startPersonDesk } from './person-desk.ts'
import { readNote } from './read-note.ts'

const renewing = ['--refresh-token-store', 'file']
const printed = { status: 0, stdout: '{"token":"JWT"}\n', stderr: '' }
const opened = { ...printed, stderr: opens }
const signedIn = 'oidc-token: signed in to HOST as alice, for the client gatepass, until DATE, in 1 h 59 min'
const failed = (status: number, ...said: readonly string[]) => ({ status, stdout: '', stderr: said.join('') })
const startAnew = (...options: readonly string[]) =>
  `oidc-token: hint: start a new session, which lets a person sign in, or run: oidc-token sign-in ${['SITE', ...options].join(' ')}\n`
const strongerWay = (options: string) =>
  failed(
    4,
    'oidc-token: the sign-in to HOST needs the person to sign in anew, or in a stronger way than before (insufficient_user_authentication)\n',
    startAnew(options),
  )
const late = (sec: number) =>
  failed(
    7,
    ...[opens, `oidc-token: the sign-in to HOST took longer than the ${sec} s of this call\n`],
    "oidc-token: hint: finish it in the browser, and the next start joins it; for more time, tell your administrator: set timeoutSec in the client's document, and client-timeout here, to 300; its page is: TAB\n",
  )

test('four windows open one tab and share one token', async () => {
  const desk = await startPersonDesk()
  const runs = ['1', '2', '3', '4'].map((window) => {
    return desk.run({ argv: [...desk.site, '--header', 'X-Who: {subject}', '--header', `X-Window: ${window}`] })
  })
  const outcomes = await Promise.all(runs)
  const [tab = '', ...others] = await desk.readTabs()
  const { token } = JSON.parse(outcomes[0]?.stdout ?? '')
  const stderr = opens.replace('HOST', new URL(desk.provider.issuer).host).replace('TAB', tab)
  const named = (window: number) => ({ token, headers: { 'X-Who': 'alice', 'X-Window': String(window) } })
  expect({ outcomes, others, requests: desk.provider.requests('token').length }).toEqual({
    outcomes: [1, 2, 3, 4].map((window) => prints(`${JSON.stringify(named(window))}\n`, stderr)),
    others: [],
    requests: 1,
  })
})

test('a silent call needs no tab', async () => {
  const desk = await startPersonDesk()
  const runs = [await desk.runInWords(), await desk.runInWords({ context: 'background' })]
  expect(runs).toEqual([opened, printed])
})

test('an explanation says where the token of a sign-in comes from, and what renews it', async () => {
  const desk = await startPersonDesk()
  await desk.run()
  expect(await desk.runInWords({ argv: [...desk.site, '--explain'], context: 'background' })).toEqual(
    prints(`\
context
  background (VENDOR_HELPER_CONTEXT is "background"); nobody is asked
  ends by itself after N s
options
  client-ttl = 3600 (default)
  client-timeout = 60 (default)
  format = json (default)
  cache = disk (default)
  renew-early = 25 (default)
  explain = true (argument)
  client-id = gatepass (argument)
  issuer = http://HOST (argument)
  bearer-token-type = id_token (default)
  append-offline-access = true (default)
  redirect-host = 127.0.0.1 (default)
  identity-reuse = never (default)
  sign-in = auto (default)
  refresh-token-store = none (default)
uses
  an ID token
  the sign-in to HOST for the client gatepass
  kept in HOME/.local/state/gatepass/sign-ins/KEY.sealed
  where the browser comes back: register exactly http://127.0.0.1/callback in the registration of the client, for the client gatepass; where this provider compares the port too (RFC 8252 says it should not), choose a fixed one and register it
token
  from cache
  lives N s, until DATE
  subject: alice
  issuer: http://HOST
  bearer_token_type: id_token
headers
  none
cache
  HOME/.cache/gatepass/oidc-token-KEY.json
  renewed from DATE on, N min early on this machine
`),
  )
})

test('sign-out ends the sign-in', async () => {
  const desk = await startPersonDesk()
  await desk.run()
  const signOut = await desk.runInWords({ argv: ['sign-out', ...desk.site] })
  const silent = await desk.runInWords({ context: 'background' })
  const left = await readdir(join(desk.home, '.local/state/gatepass/sign-ins'))
  expect({ signOut, silent, left: left.map((name) => toStableText(name)) }).toEqual({
    signOut: prints('', 'oidc-token: signed out of HOST\n'),
    silent: failed(4, 'oidc-token: nobody is signed in to HOST\n', startAnew()),
    left: ['KEY.lock'],
  })
})

test('a sign-in is renewed once for ten runs without a person', async () => {
  const desk = await startPersonDesk()
  const argv = [...desk.site, ...renewing]
  const signIn = await desk.runInWords({ argv: ['sign-in', ...argv] })
  const again = { argv, context: 'mid-session-refresh' } as const
  const runs = await Promise.all(Array.from({ length: 10 }, () => desk.runInWords(again)))
  const renewals = desk.provider.requests('token', 'refresh_token').length
  // Whatever was redeemed is no longer used.
  const afterwards = await desk.runInWords(again)
  desk.provider.revokeEverything()
  const ended = await desk.runInWords({ ...again, argv: [...argv, '--cache', 'none'] })
  const tabs = (await desk.readTabs()).length
  expect({ signIn, runs, areFew: renewals < 4, afterwards, ended, tabs }).toEqual({
    signIn: prints('', `${opens}${signedIn}, and renewed without a person\n`),
    runs: Array(10).fill(printed),
    areFew: true,
    afterwards: printed,
    ended: failed(
      4,
      'oidc-token: the sign-in to HOST has ended (invalid_grant); it says: grant request is invalid\n',
      startAnew('--refresh-token-store file --cache none'),
    ),
    tabs: 1,
  })
})

test('a provider that wants a newer sign-in gets one in the next session, with what it has named', async () => {
  const desk = await startPersonDesk()
  const argv = [...desk.site, ...renewing, '--cache', 'none']
  await desk.runInWords({ argv: ['sign-in', ...argv] })
  const body = { error: 'insufficient_user_authentication', acr_values: 'urn:acr:strong', max_age: '600' }
  desk.provider.fail('token', { status: 400, body })
  const refresh = { argv, context: 'mid-session-refresh' } as const
  const before = await desk.runInWords(refresh)
  // The provider has said it again.
  desk.provider.fail('token', { status: 400, body })
  const session = await desk.runInWords({ argv: [...argv, '--client-ttl', '7200'] })
  const tabs = await desk.readTabs()
  const named = tabs.map((tab) => ['acr_values', 'max_age'].map((name) => new URL(tab).searchParams.get(name)))
  expect({ before, session, named, after: await desk.runInWords(refresh) }).toEqual({
    before: strongerWay('--refresh-token-store file --cache none'),
    session: opened,
    named: [
      [null, null],
      ['urn:acr:strong', '600'],
    ],
    after: printed,
  })
})

const anew = strongerWay('--refresh-token-store file')

test('silent calls are served the kept token until a person gives the newer sign-in', async () => {
  const desk = await startPersonDesk()
  const argv = [...desk.site, ...renewing]
  const first = await desk.run({ argv })
  desk.provider.fail('token', { status: 400, body: { error: 'insufficient_user_authentication', max_age: '600' } })
  // A client that is seen for the first time, whose ttl has passed: the gateway has refused nothing.
  const client = startClientProcess()
  const refreshed = await desk.runInWords({ client, argv, context: 'mid-session-refresh' })
  const silent = [await desk.run({ argv, context: 'background' }), await desk.run({ argv, context: 'scheduled-task' })]
  desk.provider.fail('token', { status: 400, body: { error: 'insufficient_user_authentication', max_age: '600' } })
  const second = await desk.run({ argv })
  expect({
    refreshed,
    silent,
    second: await desk.toWords(second),
    isNew: second.stdout !== first.stdout,
    asked: (await desk.readTabs()).map((tab) => new URL(tab).searchParams.get('max_age')),
    next: await desk.run({ argv, context: 'background' }),
  }).toEqual({
    refreshed: anew,
    silent: Array(2).fill({ ...first, stderr: '' }),
    second: opened,
    isNew: true,
    asked: [null, '600'],
    next: { ...second, stderr: '' },
  })
})

test('where the provider no longer insists, the next session has a renewed token, and nobody is asked', async () => {
  const desk = await startPersonDesk()
  const argv = [...desk.site, ...renewing]
  const first = await desk.run({ argv })
  desk.provider.fail('token', { status: 400, body: { error: 'insufficient_user_authentication' } })
  const client = startClientProcess()
  const refreshed = await desk.runInWords({ client, argv, context: 'mid-session-refresh' })
  const second = await desk.run({ argv })
  const found = { isNew: second.stdout !== first.stdout, tabs: (await desk.readTabs()).length }
  expect({ refreshed, second: await desk.toWords(second), ...found }).toEqual({
    refreshed: anew,
    second: printed,
    isNew: true,
    tabs: 1,
  })
})

test('a refresh token that was asked for and did not come is reported once', async () => {
  const desk = await startPersonDesk({ refreshTokens: 'scope and prompt' })
  const argv = [...desk.site, ...renewing]
  const warning =
    'oidc-token: warning: HOST gave no refresh token, although one was asked for: when the ID token has ended, a person signs in again; set authorization-parameter to prompt=consent, without which many providers ignore offline_access, and sign in again\n'
  // The warning of a token that is too short says the same.
  const short = [...argv, '--client-ttl', '7300', '--scopes', 'email']
  expect({
    first: await desk.runInWords({ argv }),
    second: await desk.runInWords({ argv }),
    byHand: await desk.runInWords({ argv: ['sign-in', ...argv] }),
    short: await desk.runInWords({ argv: short }),
    corrected: await desk.runInWords({ argv: [...argv, '--authorization-parameter', 'prompt=consent'] }),
  }).toEqual({
    first: { ...printed, stderr: `${opens}${warning}` },
    second: printed,
    byHand: prints('', `${opens}${signedIn}\n${warning}`),
    short: {
      ...printed,
      stderr: `${opens}oidc-token: warning: the token lives N s, but the client keeps it for 7300 s: it is not renewed, because the sign-in has no refresh token; set authorization-parameter to prompt=consent, without which many providers ignore offline_access, and sign in again\n`,
    },
    corrected: opened,
  })
})

test('a token that has ended and is not renewed is asked for in the next session, and not before', async () => {
  const desk = await startPersonDesk({ lifeSec: { idToken: 2, accessToken: 2 } })
  const argv = [...desk.site, '--client-ttl', '1']
  const first = await desk.runInWords({ argv })
  await sleep(2_500) // the token lives two seconds
  const refreshed = await desk.runInWords({ argv, context: 'mid-session-refresh' })
  const session = await desk.runInWords({ argv })
  expect({ first, refreshed, session, tabs: (await desk.readTabs()).length }).toEqual({
    first: opened,
    refreshed: failed(4, 'oidc-token: the sign-in to HOST expired at DATE\n', startAnew('--client-ttl 1')),
    session: opened,
    tabs: 2,
  })
})

test('a person who denies is told so, and the next session asks anew', async () => {
  const desk = await startPersonDesk()
  await desk.sitDown({ denies: true })
  expect(await desk.runInWords()).toEqual(
    failed(
      5,
      opens,
      'oidc-token: the sign-in to HOST was denied in the browser\n',
      'oidc-token: hint: start again, and allow it there\n',
    ),
  )
  await desk.sitDown({})
  expect(await desk.runInWords()).toEqual(opened)
})

test('a run that ends before its person leaves the sign-in to the next one', async () => {
  const desk = await startPersonDesk()
  const { comeBack } = await desk.stepOut({ isForgetful: true })
  // On a busy machine a run of two seconds may end before the browser opens; the sign-in goes on, and the next run joins it.
  await expect
    .poll(() => desk.runInWords({ argv: [...desk.site, '--client-timeout', '4'] }), { timeout: 120_000 })
    .toEqual(late(2))
  await comeBack()
  expect(await desk.runInWords()).toEqual(opened)
  expect(await desk.readTabs()).toHaveLength(1)
})

test('with a code a person signs in on any machine', async () => {
  const desk = await startPersonDesk()
  const running = desk.begin({ argv: [...desk.site, '--sign-in', 'device'] })
  const { address, userCode = '' } = await readNote(desk.home)
  await running.waitForText(address)
  await createPerson({ userCode }).open(address)
  expect(toStableValue(await running.outcome, { [address]: 'ADDRESS', [userCode]: 'CODE' })).toEqual({
    ...printed,
    stderr: 'oidc-token: to sign in to 127.0.0.1:PORT, enter the code CODE at: ADDRESS\n',
  })
  expect(await desk.readTabs()).toEqual([])
})

test('nothing opens where nobody answers, where nothing can be kept, or with sign-in off', async () => {
  const desk = await startPersonDesk()
  const file = join(desk.home, 'file')
  await writeFile(file, '')
  const kept = 'HOME/file/gatepass/sign-ins/KEY.sealed'
  const unkept = await desk.runInWords({ env: { XDG_STATE_HOME: file } })
  const off = await desk.runInWords({ argv: [...desk.site, '--sign-in', 'off'] })
  await desk.provider.goDown()
  expect({ unkept, off, away: await desk.runInWords(), tabs: await desk.readTabs() }).toEqual({
    unkept: failed(
      3,
      `oidc-token: cannot read ${kept} (ENOTDIR): a part of the path is a file, not a directory\n`,
      'oidc-token: hint: name a path in a directory\n',
    ),
    off: failed(
      4,
      'oidc-token: nobody is signed in to HOST\n',
      'oidc-token: hint: sign-in is off; to sign in, run with the other options of this run: oidc-token sign-in --sign-in auto\n',
    ),
    away: failed(
      6,
      'oidc-token: HOST cannot be reached (ECONNREFUSED)\n',
      'oidc-token: hint: check what runs at HOST\n',
    ),
    tabs: [],
  })
})

test('a client that the provider does not know is refused in the browser', async () => {
  const desk = await startPersonDesk()
  const argv = ['--client-id', 'nobody', '--issuer', desk.provider.issuer, '--client-timeout', '5']
  // See the run that ends before its person.
  await expect.poll(() => desk.runInWords({ argv }), { timeout: 120_000 }).toEqual(late(3))
})
