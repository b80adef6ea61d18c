import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { toStableValue } from '../../../setup/to-stable-text.ts'
import { waitUntil } from '../../../setup/wait-until.ts'
import { startGnomeKeyring } from '../../../stand-ins/keyring/keyrings.ts'
import { useKeychain } from '../../keychain/secret-service/use-keychain.ts'
import { startSignedIn } from './start-signed-in.ts'

test('20 runs that take a sign-in to the keychain make one renewal, and sign-out removes its key', async () => {
  const desk = await startSignedIn()
  const { env } = await startGnomeKeyring('unlocked')
  const { files, provider, prepareWithKeychain } = desk
  const runs = Array.from({ length: 20 }, () => prepareWithKeychain(env))
  const outcomes = await Promise.all(runs.map((run) => run.begin()))
  const [{ stdout } = { stdout: '' }] = outcomes
  const sealed = JSON.parse((await readFile(files.sealed, 'utf8')).split('\n')[0]!)
  const key = { service: 'sign-in', account: files.name, label: '' }
  const kept = await useKeychain(env, ['read'], { item: key })
  const keyBytes = kept.map((text) => Buffer.from(`${text}`, 'base64').length)
  expect({
    outcomes,
    renewals: provider.requests('token', 'refresh_token').map(({ status }) => status),
    files: await readdir(files.keyDirectory),
    sealedWith: sealed.key,
    keyBytes,
    signedOut: toStableValue(await prepareWithKeychain(env, ['sign-out']).begin()),
    keptThen: await useKeychain(env, ['read'], { item: key }),
  }).toEqual({
    outcomes: Array(20).fill({ status: 0, stdout, stderr: '' }),
    renewals: [200],
    files: [],
    sealedWith: 'keychain',
    keyBytes: [32],
    signedOut: { status: 0, stdout: '', stderr: 'oidc-token: signed out of 127.0.0.1:PORT\n' },
    keptThen: [undefined],
  })
})

test('a run that is killed during a renewal loses nothing, with its key in the keychain of the session', async () => {
  const desk = await startSignedIn()
  const { env } = await startGnomeKeyring('unlocked')
  const run = () => desk.prepareWithKeychain(env, [], ['--cache', 'none'])
  desk.provider.fail('token', { laterMs: 1_000 })
  const victim = run()
  victim.begin()
  await waitUntil('the provider is asked', () => desk.provider.requests('token', 'refresh_token').length === 1)
  victim.kill('SIGKILL')
  const killed = await victim.outcome
  await waitUntil('it is kept', async () => (await readFile(desk.files.sealed, 'utf8')).includes('"key":"keychain"'))
  const next = toStableValue(await run().begin())
  expect({
    killed,
    next,
    renewals: desk.provider.requests('token', 'refresh_token').map(({ status }) => status),
  }).toEqual({
    killed: { status: 'SIGKILL', stdout: '', stderr: '' },
    next: { status: 0, stdout: '{"token":"TOKEN"}\n', stderr: '' },
    renewals: [200],
  })
})
