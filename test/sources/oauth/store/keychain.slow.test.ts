import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { until } from '../../../cache/start-run.ts'
import { startGnomeKeyring } from '../../../stand-ins/keyring/keyrings.ts'
import { useKeychain } from '../../keychain/secret-service/use-keychain.ts'
import { startSignedIn } from './start-signed-in.ts'

test('20 runs that take a sign-in to the keychain make one renewal, and sign-out removes its key', async () => {
  const desk = await startSignedIn()
  const { env } = await startGnomeKeyring('unlocked')
  const { files, provider, prepareWithKeychain } = desk
  const runs = Array.from({ length: 20 }, () => prepareWithKeychain(env))
  for (const run of runs) run.begin()
  const outcomes = await Promise.all(runs.map(({ outcome }) => outcome))
  expect(outcomes.map(({ status, stderr }) => [status, stderr])).toEqual(runs.map(() => [0, '']))
  expect(new Set(outcomes.map(({ stdout }) => stdout)).size).toBe(1)
  expect(provider.requests('token', 'refresh_token').map(({ status }) => status)).toEqual([200])
  expect([await readdir(files.keyDirectory), await readFile(files.sealed, 'utf8')]).toEqual([
    [],
    expect.stringContaining('"key":"keychain"'),
  ])
  const key = { service: 'sign-in', account: files.name, label: '' }
  expect(await useKeychain(env, ['read'], { item: key })).toEqual([expect.stringMatching(/^[\w+/]{43}=$/)])

  const signOut = prepareWithKeychain(env, ['sign-out'])
  signOut.begin()
  expect(await signOut.outcome).toMatchObject({ status: 0, stdout: '' })
  expect(await useKeychain(env, ['read'], { item: key })).toEqual([undefined])
})

test('a run that is killed during a renewal loses nothing, with its key in the keychain of the session', async () => {
  const desk = await startSignedIn()
  const { env } = await startGnomeKeyring('unlocked')
  const run = () => desk.prepareWithKeychain(env, [], ['--cache', 'none'])
  desk.provider.fail('token', { laterMs: 1_000 })
  const victim = run()
  victim.begin()
  await until('the provider is asked', () => desk.provider.requests('token', 'refresh_token').length === 1)
  victim.kill()
  expect(await victim.outcome).toMatchObject({ status: 'SIGKILL' })
  await until('it is kept', async () => (await readFile(desk.files.sealed, 'utf8')).includes('"key":"keychain"'))
  const next = run()
  next.begin()
  expect(await next.outcome).toMatchObject({ status: 0, stderr: '' })
  expect(desk.provider.requests('token', 'refresh_token').map(({ status }) => status)).toEqual([200])
})
