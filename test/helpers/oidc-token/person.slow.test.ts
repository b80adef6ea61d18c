import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startClientProcess } from '../../setup/client-process.ts'
import { createPerson } from '../../stand-ins/provider/person/create-person.ts'
import { failure } from './desk.ts'
import { startPersonDesk } from './person-desk.ts'
import { readNote } from './read-note.ts'

const renewing = ['--refresh-token-store', 'file']
/** A run that prints a token, and says on stderr what matches. */
const printed = (stderr: unknown = '') => ({ status: 0, stdout: expect.stringMatching(/^\{"token":"eyJ/), stderr })
const opens = expect.stringMatching(
  /^oidc-token: a browser opens for the sign-in to 127\.0\.0\.1:\d+; if you see none, open: http:\/\/127\.0\.0\.1:\d+\/\S+\n$/,
)
const failed = (status: number, stderr: RegExp) => ({ status, stdout: '', stderr: expect.stringMatching(stderr) })

test('four windows open one tab, a silent call needs none, and whoever signs out is signed out', async () => {
  const desk = await startPersonDesk()
  const runs = ['1', '2', '3', '4'].map((window) => {
    return desk.run({ argv: [...desk.site, '--header', 'X-Who: {subject}', '--header', `X-Window: ${window}`] })
  })
  const outcomes = await Promise.all(runs)
  expect(outcomes).toEqual(Array(4).fill(printed(opens)))
  const documents = outcomes.map(({ stdout }) => JSON.parse(stdout))
  expect(new Set(documents.map(({ token }) => token)).size).toBe(1)
  expect(documents.map(({ headers }) => headers['X-Who'])).toEqual(Array(4).fill('alice'))
  expect([await desk.readTabs(), desk.provider.requests('token')]).toMatchObject([{ length: 1 }, { length: 1 }])

  expect(await desk.run({ context: 'background' })).toEqual(printed())
  const explained = await desk.run({ argv: [...desk.site, '--explain'], context: 'background' })
  expect(explained).toMatchObject({ status: 0, stderr: '' })
  expect(explained.stdout).toContain('subject: alice')
  expect(explained.stdout).toContain('register exactly http://127.0.0.1/callback')
  expect(explained.stdout).not.toContain('eyJ')

  expect(await desk.run({ argv: ['sign-out', ...desk.site] })).toEqual({
    ...{ status: 0, stdout: '' },
    stderr: expect.stringMatching(/^oidc-token: signed out of 127\.0\.0\.1:\d+\n$/),
  })
  const { host } = new URL(desk.provider.issuer)
  expect(await desk.run({ context: 'background' })).toEqual(
    failure(
      4,
      `nobody is signed in to ${host}`,
      `start a new session, which lets a person sign in, or run: oidc-token sign-in ${desk.site.join(' ')}`,
    ),
  )
  expect(await readdir(join(desk.home, '.local/state/gatepass/sign-ins'))).toEqual([expect.stringMatching(/\.lock$/)])
})

test('a sign-in is renewed without a person, once for ten runs, and by a provider that punishes reuse', async () => {
  const desk = await startPersonDesk()
  const argv = [...desk.site, ...renewing]
  const { status, stdout, stderr } = await desk.run({ argv: ['sign-in', ...argv] })
  expect([status, stdout, stderr]).toEqual([
    ...[0, ''],
    expect.stringMatching(
      /^oidc-token: a browser opens .*\noidc-token: signed in to \S+ as alice, for the client gatepass, until 2\S+Z, in 1 h 59 min, and renewed without a person\n$/,
    ),
  ])
  const runs = Array.from({ length: 10 }, () => desk.run({ argv, context: 'mid-session-refresh' }))
  expect(await Promise.all(runs)).toEqual(Array(10).fill(printed()))
  const renewals = desk.provider.requests('token', 'refresh_token').length
  expect(renewals).toBeLessThan(4)
  // Whatever was redeemed is no longer used.
  expect(await desk.run({ argv, context: 'mid-session-refresh' })).toEqual(printed())

  desk.provider.revokeEverything()
  expect(await desk.run({ argv: [...argv, '--cache', 'none'], context: 'mid-session-refresh' })).toEqual(
    failed(4, /^oidc-token: the sign-in to .* sign-in --client-id .*\n$/s),
  )
  expect(await desk.readTabs()).toHaveLength(1)
})

test('a provider that wants a newer sign-in gets one in the next session, with what it has named', async () => {
  const desk = await startPersonDesk()
  const argv = [...desk.site, ...renewing, '--cache', 'none']
  expect(await desk.run({ argv: ['sign-in', ...argv] })).toMatchObject({ status: 0, stdout: '' })
  const body = { error: 'insufficient_user_authentication', acr_values: 'urn:acr:strong', max_age: '600' }
  desk.provider.fail('token', { status: 400, body })
  expect(await desk.run({ argv, context: 'mid-session-refresh' })).toEqual(
    failed(4, /^oidc-token: the sign-in to .* needs the person to sign in anew.*sign-in --client-id .*\n$/s),
  )
  // The provider has said it again.
  desk.provider.fail('token', { status: 400, body })
  expect(await desk.run({ argv: [...argv, '--client-ttl', '7200'] })).toEqual(printed(opens))
  const tabs = await desk.readTabs()
  expect(tabs).toHaveLength(2)
  expect(Object.fromEntries(new URL(tabs[1]!).searchParams)).toMatchObject({
    acr_values: 'urn:acr:strong',
    max_age: '600',
  })
  expect(await desk.run({ argv, context: 'mid-session-refresh' })).toEqual(printed())
})

const anew = failed(4, /^oidc-token: the sign-in to .* needs the person to sign in anew.*sign-in --client-id .*\n$/s)

test('until then silent calls are served the token that is kept, and a person is asked although it would do', async () => {
  const desk = await startPersonDesk()
  const argv = [...desk.site, ...renewing]
  const first = await desk.run({ argv })
  desk.provider.fail('token', { status: 400, body: { error: 'insufficient_user_authentication', max_age: '600' } })
  // A client that is seen for the first time, whose ttl has passed: the gateway has refused nothing.
  const client = startClientProcess()
  expect(await desk.run({ client, argv, context: 'mid-session-refresh' })).toEqual(anew)
  for (const context of ['background', 'scheduled-task'] as const)
    expect(await desk.run({ argv, context })).toEqual({ ...first, stderr: '' })
  desk.provider.fail('token', { status: 400, body: { error: 'insufficient_user_authentication', max_age: '600' } })
  const second = await desk.run({ argv })
  expect(second).toEqual(printed(opens))
  expect(second.stdout).not.toBe(first.stdout)
  expect((await desk.readTabs()).map((tab) => new URL(tab).searchParams.get('max_age'))).toEqual([null, '600'])
  expect(await desk.run({ argv, context: 'background' })).toEqual({ ...second, stderr: '' })
})

test('where the provider no longer insists, the next session has a renewed token, and nobody is asked', async () => {
  const desk = await startPersonDesk()
  const argv = [...desk.site, ...renewing]
  const first = await desk.run({ argv })
  desk.provider.fail('token', { status: 400, body: { error: 'insufficient_user_authentication' } })
  const client = startClientProcess()
  expect(await desk.run({ client, argv, context: 'mid-session-refresh' })).toEqual(anew)
  const second = await desk.run({ argv })
  expect(second).toEqual(printed())
  expect(second.stdout).not.toBe(first.stdout)
  expect(await desk.readTabs()).toHaveLength(1)
})

test('a refresh token that was asked for and did not come is told once, with what the provider needs', async () => {
  const desk = await startPersonDesk({ refreshTokens: 'scope and prompt' })
  const argv = [...desk.site, ...renewing]
  const { host } = new URL(desk.provider.issuer)
  const warning = `oidc-token: warning: ${host} gave no refresh token, although one was asked for: when the ID token has ended, a person signs in again; set authorization-parameter to prompt=consent, without which many providers ignore offline_access, and sign in again\n`
  const first = await desk.run({ argv })
  expect(first).toEqual(printed(expect.stringMatching(/^oidc-token: a browser opens .*\noidc-token: warning: .*\n$/)))
  expect(first.stderr).toContain(warning)
  expect(await desk.run({ argv })).toEqual(printed())
  const byHand = await desk.run({ argv: ['sign-in', ...argv] })
  expect(byHand.stderr.split('\n').slice(1)).toEqual([
    expect.stringMatching(/^oidc-token: signed in to /),
    warning.trim(),
    '',
  ])
  // The warning of a token that is too short says the same.
  const short = await desk.run({ argv: [...argv, '--client-ttl', '7300', '--scopes', 'email'] })
  expect(short.stderr.match(/prompt=consent/g)).toHaveLength(1)
  expect(await desk.run({ argv: [...argv, '--authorization-parameter', 'prompt=consent'] })).toEqual(printed(opens))
})

test('a token that has ended and is not renewed is asked for in the next session, and not before', async () => {
  const desk = await startPersonDesk({ lifeSec: { idToken: 2, accessToken: 2 } })
  const argv = [...desk.site, '--client-ttl', '1']
  expect(await desk.run({ argv })).toEqual(printed(opens))
  await sleep(2_500)
  expect(await desk.run({ argv, context: 'mid-session-refresh' })).toEqual(
    failed(4, /^oidc-token: the sign-in to .* expired at .*\n.*run: oidc-token sign-in .*\n$/),
  )
  expect(await desk.run({ argv })).toEqual(printed(opens))
  expect(await desk.readTabs()).toHaveLength(2)
})

test('who denies is told so, and the next session asks anew', async () => {
  const desk = await startPersonDesk()
  await desk.sitDown({ denies: true })
  expect(await desk.run()).toEqual(
    failed(5, /^oidc-token: a browser opens .*\noidc-token: the sign-in to .*\n.*hint: .*\n$/),
  )
  await desk.sitDown({})
  expect(await desk.run()).toMatchObject(printed(expect.anything()))
})

test('a run that ends before its person leaves the sign-in, and the next one prints the token', async () => {
  const desk = await startPersonDesk()
  const { comeBack } = await desk.stepOut({ isForgetful: true })
  // On a busy machine a run of two seconds may end before the browser opens; the sign-in goes on, and the next run joins it.
  await expect
    .poll(() => desk.run({ argv: [...desk.site, '--client-timeout', '4'] }), { timeout: 120_000 })
    .toEqual(
      failed(
        7,
        /^oidc-token: a browser opens .*\noidc-token: the sign-in to \S+ took longer than the 2 s of this call\n/,
      ),
    )
  await comeBack()
  expect(await desk.run()).toMatchObject(printed(expect.anything()))
  expect(await desk.readTabs()).toHaveLength(1)
})

test('with a code a person signs in on any machine', async () => {
  const desk = await startPersonDesk()
  const running = desk.run({ argv: [...desk.site, '--sign-in', 'device'] })
  const { address, userCode = '' } = await readNote(desk.home)
  await createPerson({ userCode }).open(address)
  expect(await running).toEqual(
    printed(expect.stringMatching(/^oidc-token: to sign in to \S+, enter the code \S+ at: http\S+\n$/)),
  )
  expect(await desk.readTabs()).toEqual([])
})

test('nothing opens where nobody answers, where nothing can be kept, or with sign-in off', async () => {
  const desk = await startPersonDesk()
  const file = join(desk.home, 'file')
  await writeFile(file, '')
  expect(await desk.run({ env: { XDG_STATE_HOME: file } })).toEqual(failed(3, /^oidc-token: .*file.*\n.*hint: .*\n$/))
  expect(await desk.run({ argv: [...desk.site, '--sign-in', 'off'] })).toEqual(failed(4, /sign-in is off/))
  await desk.provider.goDown()
  expect(await desk.run()).toEqual(failed(6, /^oidc-token: .*127\.0\.0\.1.*\n.*hint: .*\n$/))
  expect(await desk.readTabs()).toEqual([])
})

test('a client that the provider does not know is refused in the browser, and the run names the address', async () => {
  const desk = await startPersonDesk()
  const argv = ['--client-id', 'nobody', '--issuer', desk.provider.issuer, '--client-timeout', '5']
  expect(await desk.run({ argv })).toEqual(failed(7, /took longer than the 3 s of this call/))
})
