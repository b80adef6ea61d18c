import { readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import { fetchInTime } from '../../../../src/runtime/network/fetch-in-time.ts'
import { changeSharedFile } from '../../../../src/sources/aws/files/shared-file.ts'
import { requireSsoToken } from '../../../../src/sources/aws/sso/access-token.ts'
import { useFakeTimers } from '../../../setup/fake-timers.ts'
import { client, outcomeOf, session, startSsoBench, startUrl } from './sso-bench.ts'

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000)
const renewable = { refreshToken: 'canary-refresh' }

test('a sign-in with less than a quarter of an hour is renewed, and stored as the AWS CLI writes it', async () => {
  await using bench = await startSsoBench()
  await bench.signIn({ ...renewable, expiresAt: inMinutes(14) })
  const token = await outcomeOf(requireSsoToken(session, bench.parts))
  const text = await readFile(bench.path, 'utf8')
  const { expiresAt } = JSON.parse(text)
  const lifeHours = Math.round((Date.parse(expiresAt) - Date.now()) / 3_600_000)
  expect({ token, text, lifeHours, asked: bench.asked() }).toEqual({
    token: 'canary-1-refreshed',
    text: `{"startUrl": "${startUrl}", "region": "eu-central-1", "accessToken": "canary-1-refreshed", "expiresAt": "${expiresAt}", "clientId": "client-1", "clientSecret": "canary-client", "registrationExpiresAt": "2099-01-01T00:00:00Z", "refreshToken": "canary-refresh-refreshed"}`,
    lifeHours: 8,
    asked: ['CreateToken 200'],
  })
})

test.each([
  ['lives longer', { ...renewable, expiresAt: inMinutes(16) }, {}],
  ['has no refresh token', { expiresAt: inMinutes(5) }, {}],
  [
    'has an expired registration',
    { ...renewable, expiresAt: inMinutes(5) },
    { registrationExpiresAt: '2020-01-01T00:00:00Z' },
  ],
])('a sign-in that %s is used as it is', async (_, changes, members) => {
  await using bench = await startSsoBench()
  await bench.signIn(changes, members)
  expect([await outcomeOf(requireSsoToken(session, bench.parts)), bench.asked()]).toEqual(['canary-1', []])
})

test('an answer without a refresh token drops the one that was stored', async () => {
  await using bench = await startSsoBench()
  await bench.signIn({ ...renewable, expiresAt: inMinutes(-5), isLastRefresh: true })
  expect(await outcomeOf(requireSsoToken(session, bench.parts))).toBe('canary-1-refreshed')
  expect(await bench.readStored()).not.toHaveProperty('refreshToken')
})

test.each([
  ['refuses', { kind: 'error', code: 'InvalidGrantException', status: 400 }],
  ['is busy', { kind: 'error', code: 'InternalServerException', status: 500 }],
  ['breaks the connection', { kind: 'reset' }],
] as const)('a sign-in that is still good is used silently where AWS %s', async (_, failure) => {
  await using bench = await startSsoBench()
  await bench.signIn({ ...renewable, expiresAt: inMinutes(10) })
  const stored = await readFile(bench.path, 'utf8')
  bench.aws.failAlways('CreateToken', failure)
  expect(await outcomeOf(requireSsoToken(session, bench.parts))).toBe('canary-1')
  expect(await readFile(bench.path, 'utf8')).toBe(stored)
})

test('a good sign-in is used while another process renews it', async () => {
  await using bench = await startSsoBench()
  await bench.signIn({ ...renewable, expiresAt: inMinutes(10) })
  const hold = { otherRun: 'o', whenBusy: 'wait', find: async () => undefined } as const
  const seen = await changeSharedFile(bench.path, bench.parts.call.deadline, {
    ...hold,
    make: async () => {
      const good = await outcomeOf(requireSsoToken(session, bench.parts))
      await bench.signIn({ ...renewable, expiresAt: inMinutes(-10) })
      const late = outcomeOf(requireSsoToken(session, bench.parts))
      await sleep(50)
      await bench.signIn({ accessToken: 'canary-2', expiresAt: inMinutes(60) })
      return [good, await late]
    },
  })
  expect([seen, bench.asked()]).toEqual([['canary-1', 'canary-2'], []])
})

test('a refresh token that another program has used meanwhile does not lead to another sign-in', async () => {
  await using bench = await startSsoBench()
  await bench.signIn({ refreshToken: 'canary-next', expiresAt: inMinutes(-5) }, { refreshToken: 'canary-used' })
  const another = { accessToken: 'canary-2', refreshToken: 'canary-next-2', expiresAt: inMinutes(-5) }
  bench.aws.failNext('CreateToken', { kind: 'late', after: () => bench.signIn(another) })
  const token = outcomeOf(requireSsoToken(session, bench.parts))
  expect([await token, bench.asked()]).toEqual(['canary-2-refreshed', ['CreateToken 400', 'CreateToken 200']])
})

test.each([
  ['signs in with another tool', true, 'canary-2'],
  ['signs out', false, ['sign-in-required', 'the SSO session "corp" is not signed in', 'sign in']],
])('a person who %s during a renewal takes precedence over it', async (_, isSignedIn, outcome) => {
  await using bench = await startSsoBench()
  await bench.signIn({ ...renewable, expiresAt: inMinutes(-5) })
  const change = () => (isSignedIn ? bench.signIn({ accessToken: 'canary-2' }) : rm(bench.path))
  bench.aws.failNext('CreateToken', { kind: 'late', after: change })
  expect(await outcomeOf(requireSsoToken(session, bench.parts))).toEqual(outcome)
  const stored = await bench.readStored().catch(() => undefined)
  expect(stored?.accessToken).toBe(isSignedIn ? 'canary-2' : undefined)
})

test('a sign-in that AWS no longer renews says when it ended, and stays where it is', async () => {
  await using bench = await startSsoBench()
  const expiresAt = new Date('2026-01-15T12:00:00Z')
  await bench.signIn({ ...renewable, expiresAt, refreshExpiresAt: expiresAt })
  const stored = await bench.readStored()
  const message = 'the SSO session "corp" expired at 2026-01-15T12:00:00.000Z and cannot be renewed'
  expect({ outcome: await outcomeOf(requireSsoToken(session, bench.parts)), stored: await bench.readStored() }).toEqual(
    { outcome: ['sign-in-required', message, 'sign in'], stored },
  )
})

test('a sign-in in the older form is never renewed, as in the AWS tools', async () => {
  const old = { startUrl, region: 'eu-central-1' }
  await using bench = await startSsoBench(old)
  await bench.signIn({ ...renewable, expiresAt: new Date('2026-01-15T12:00:00Z') })
  const message = `the SSO session "${startUrl}" expired at 2026-01-15T12:00:00.000Z`
  expect(await outcomeOf(requireSsoToken(old, bench.parts))).toEqual(['sign-in-required', message, 'sign in'])
})

test('a link in place of a sign-in is refused, and its target left alone', async () => {
  await using bench = await startSsoBench()
  await bench.signIn({ ...renewable, expiresAt: inMinutes(-5) })
  const target = `${bench.path}.elsewhere`
  await writeFile(target, await readFile(bench.path, 'utf8'))
  await rm(bench.path)
  await symlink(target, bench.path)
  expect({ outcome: await outcomeOf(requireSsoToken(session, bench.parts)), asked: bench.asked() }).toEqual({
    outcome: [
      'not-configured',
      `${bench.path} is a link, through which no sign-in is read or written`,
      `remove it with: rm '${bench.path}'`,
    ],
    asked: [],
  })
})

test('a file that the AWS CLI is writing is read when it is whole', async () => {
  await using bench = await startSsoBench()
  await bench.signIn()
  await writeFile(bench.path, '{"accessTok')
  useFakeTimers()
  const token = outcomeOf(requireSsoToken(session, bench.parts))
  await expect.poll(() => vi.getTimerCount()).toBe(1) // it waits for the rest
  await bench.signIn({ accessToken: 'canary-2' }, client)
  vi.advanceTimersByTime(100)
  expect(await token).toBe('canary-2')
})

test('the renewal of an expired sign-in is not given up with other work that the call can do without', async () => {
  await using bench = await startSsoBench()
  await bench.signIn({ ...renewable, expiresAt: inMinutes(-5) })
  let passedMs = 0
  const deadline = new Deadline({ seconds: 58, hint: '' }, { elapsedMs: () => passedMs }).shorten(5)
  const fetch: typeof fetchInTime = (...request) => {
    passedMs = 20_000
    return fetchInTime(...request)
  }
  const parts = { ...bench.parts, call: { ...bench.parts.call, deadline }, fetch }
  expect({ outcome: await outcomeOf(requireSsoToken(session, parts)), stored: await bench.readStored() }).toEqual({
    outcome: 'canary-1-refreshed',
    stored: {
      refreshToken: 'canary-refresh-refreshed',
      startUrl: 'https://corp.awsapps.com/start',
      region: 'eu-central-1',
      accessToken: 'canary-1-refreshed',
      expiresAt: expect.any(String),
      clientId: 'client-1',
      clientSecret: 'canary-client',
      registrationExpiresAt: '2099-01-01T00:00:00Z',
    },
  })
})
