import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startClientProcess } from '../../setup/client-process.ts'
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
  const documents = outcomes.map(({ stdout }) => JSON.parse(stdout))
  const { token } = documents[0]
  expect(documents).toEqual(
    ['1', '2', '3', '4'].map((window) => ({ token, headers: { 'X-Who': 'alice', 'X-Window': window } })),
  )
  const { host } = new URL(desk.provider.issuer)
  expect(outcomes.map(({ status, stderr }) => ({ status, stderr }))).toEqual(
    Array(4).fill({ status: 0, stderr: opens.replace('HOST', host).replace('TAB', tab) }),
  )
  expect([others, desk.provider.requests('token').length]).toEqual([[], 1])
})

test('a silent call needs no tab', async () => {
  const desk = await startPersonDesk()
  const runs = [await desk.runInWords(), await desk.runInWords({ context: 'background' })]
  expect(runs).toEqual([opened, printed])
})

test('an explanation says where the token of a sign-in comes from, and what renews it', async () => {
  const desk = await startPersonDesk()
  await desk.run()
  expect(await desk.runInWords({ argv: [...desk.site, '--explain'], context: 'background' })).toEqual({
    status: 0,
    stdout: `\
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
`,
    stderr: '',
  })
})

test('sign-out ends the sign-in', async () => {
  const desk = await startPersonDesk()
  await desk.run()
  expect(await desk.runInWords({ argv: ['sign-out', ...desk.site] })).toEqual({
    status: 0,
    stdout: '',
    stderr: 'oidc-token: signed out of HOST\n',
  })
  expect(await desk.runInWords({ context: 'background' })).toEqual(
    failed(4, 'oidc-token: nobody is signed in to HOST\n', startAnew()),
  )
  const left = await readdir(join(desk.home, '.local/state/gatepass/sign-ins'))
  expect(left.map((name) => toStableText(name))).toEqual(['KEY.lock'])
})

test('a sign-in is renewed once for ten runs without a person', async () => {
  const desk = await startPersonDesk()
  const argv = [...desk.site, ...renewing]
  expect(await desk.runInWords({ argv: ['sign-in', ...argv] })).toEqual({
    status: 0,
    stdout: '',
    stderr: `${opens}${signedIn}, and renewed without a person\n`,
  })
  const runs = Array.from({ length: 10 }, () => desk.runInWords({ argv, context: 'mid-session-refresh' }))
  expect(await Promise.all(runs)).toEqual(Array(10).fill(printed))
  const renewals = desk.provider.requests('token', 'refresh_token').length
  expect(renewals).toBeLessThan(4)
  // Whatever was redeemed is no longer used.
  const afterwards = await desk.runInWords({ argv, context: 'mid-session-refresh' })

  desk.provider.revokeEverything()
  const ended = await desk.runInWords({ argv: [...argv, '--cache', 'none'], context: 'mid-session-refresh' })
  expect({ afterwards, ended, tabs: (await desk.readTabs()).length }).toEqual({
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
  expect(await desk.runInWords({ argv: ['sign-in', ...argv] })).toEqual({
    status: 0,
    stdout: '',
    stderr: `${opens}${signedIn}, and renewed without a person\n`,
  })
  const body = { error: 'insufficient_user_authentication', acr_values: 'urn:acr:strong', max_age: '600' }
  desk.provider.fail('token', { status: 400, body })
  expect(await desk.runInWords({ argv, context: 'mid-session-refresh' })).toEqual(
    strongerWay('--refresh-token-store file --cache none'),
  )
  // The provider has said it again.
  desk.provider.fail('token', { status: 400, body })
  const session = await desk.runInWords({ argv: [...argv, '--client-ttl', '7200'] })
  const tabs = await desk.readTabs()
  const named = tabs.map((tab) => ['acr_values', 'max_age'].map((name) => new URL(tab).searchParams.get(name)))
  expect({ session, named }).toEqual({
    session: opened,
    named: [
      [null, null],
      ['urn:acr:strong', '600'],
    ],
  })
  expect(await desk.runInWords({ argv, context: 'mid-session-refresh' })).toEqual(printed)
})

const anew = strongerWay('--refresh-token-store file')

test('silent calls are served the kept token until a person gives the newer sign-in', async () => {
  const desk = await startPersonDesk()
  const argv = [...desk.site, ...renewing]
  const first = await desk.run({ argv })
  desk.provider.fail('token', { status: 400, body: { error: 'insufficient_user_authentication', max_age: '600' } })
  // A client that is seen for the first time, whose ttl has passed: the gateway has refused nothing.
  const client = startClientProcess()
  expect(await desk.runInWords({ client, argv, context: 'mid-session-refresh' })).toEqual(anew)
  const silent = [await desk.run({ argv, context: 'background' }), await desk.run({ argv, context: 'scheduled-task' })]
  expect(silent).toEqual(Array(2).fill({ ...first, stderr: '' }))
  desk.provider.fail('token', { status: 400, body: { error: 'insufficient_user_authentication', max_age: '600' } })
  const second = await desk.run({ argv })
  const asked = (await desk.readTabs()).map((tab) => new URL(tab).searchParams.get('max_age'))
  expect(second.stdout).not.toBe(first.stdout)
  expect({
    second: await desk.toWords(second),
    asked,
    next: await desk.run({ argv, context: 'background' }),
  }).toEqual({ second: opened, asked: [null, '600'], next: { ...second, stderr: '' } })
})

test('where the provider no longer insists, the next session has a renewed token, and nobody is asked', async () => {
  const desk = await startPersonDesk()
  const argv = [...desk.site, ...renewing]
  const first = await desk.run({ argv })
  desk.provider.fail('token', { status: 400, body: { error: 'insufficient_user_authentication' } })
  const client = startClientProcess()
  expect(await desk.runInWords({ client, argv, context: 'mid-session-refresh' })).toEqual(anew)
  const second = await desk.run({ argv })
  expect(await desk.toWords(second)).toEqual(printed)
  expect(second.stdout).not.toBe(first.stdout)
  expect(await desk.readTabs()).toHaveLength(1)
})

test('a refresh token that was asked for and did not come is reported once', async () => {
  const desk = await startPersonDesk({ refreshTokens: 'scope and prompt' })
  const argv = [...desk.site, ...renewing]
  const warning =
    'oidc-token: warning: HOST gave no refresh token, although one was asked for: when the ID token has ended, a person signs in again; set authorization-parameter to prompt=consent, without which many providers ignore offline_access, and sign in again\n'
  const runs = [await desk.runInWords({ argv }), await desk.runInWords({ argv })]
  expect(runs).toEqual([{ ...printed, stderr: `${opens}${warning}` }, printed])
  expect(await desk.runInWords({ argv: ['sign-in', ...argv] })).toEqual({
    status: 0,
    stdout: '',
    stderr: `${opens}${signedIn}\n${warning}`,
  })
  // The warning of a token that is too short says the same.
  expect(await desk.runInWords({ argv: [...argv, '--client-ttl', '7300', '--scopes', 'email'] })).toEqual({
    ...printed,
    stderr: `${opens}oidc-token: warning: the token lives N s, but the client keeps it for 7300 s: it is not renewed, because the sign-in has no refresh token; set authorization-parameter to prompt=consent, without which many providers ignore offline_access, and sign in again\n`,
  })
  expect(await desk.runInWords({ argv: [...argv, '--authorization-parameter', 'prompt=consent'] })).toEqual(opened)
})

test('a token that has ended and is not renewed is asked for in the next session, and not before', async () => {
  const desk = await startPersonDesk({ lifeSec: { idToken: 2, accessToken: 2 } })
  const argv = [...desk.site, '--client-ttl', '1']
  expect(await desk.runInWords({ argv })).toEqual(opened)
  await sleep(2_500) // the token lives two seconds
  expect(await desk.runInWords({ argv, context: 'mid-session-refresh' })).toEqual(
    failed(4, 'oidc-token: the sign-in to HOST expired at DATE\n', startAnew('--client-ttl 1')),
  )
  expect(await desk.runInWords({ argv })).toEqual(opened)
  expect(await desk.readTabs()).toHaveLength(2)
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
  expect(await desk.runInWords({ env: { XDG_STATE_HOME: file } })).toEqual(
    failed(
      3,
      `oidc-token: cannot read ${kept} (ENOTDIR): a part of the path is a file, not a directory\n`,
      'oidc-token: hint: name a path in a directory\n',
    ),
  )
  expect(await desk.runInWords({ argv: [...desk.site, '--sign-in', 'off'] })).toEqual(
    failed(
      4,
      'oidc-token: nobody is signed in to HOST\n',
      'oidc-token: hint: sign-in is off; to sign in, run with the other options of this run: oidc-token sign-in --sign-in auto\n',
    ),
  )
  await desk.provider.goDown()
  expect(await desk.runInWords()).toEqual(
    failed(6, 'oidc-token: HOST cannot be reached (ECONNREFUSED)\n', 'oidc-token: hint: check what runs at HOST\n'),
  )
  expect(await desk.readTabs()).toEqual([])
})

test('a client that the provider does not know is refused in the browser', async () => {
  const desk = await startPersonDesk()
  const argv = ['--client-id', 'nobody', '--issuer', desk.provider.issuer, '--client-timeout', '5']
  // See the run that ends before its person.
  await expect.poll(() => desk.runInWords({ argv }), { timeout: 120_000 }).toEqual(late(3))
})
