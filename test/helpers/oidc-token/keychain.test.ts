import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import helper from '../../../helpers/oidc-token.ts'
import type { AnyHelper } from '../../../src/helper/define-helper.ts'
import { diagnoseHelper } from '../../../src/helper/run/diagnose-helper.ts'
import { locateStore } from '../../../src/sources/oauth/store/locate-store.ts'
import { plainSettings } from '../../sources/oauth/oidc/oidc-bench.ts'
import { startSecretBus } from '../../stand-ins/bus/secret-bus.ts'
import { failure, startDesk } from './desk.ts'
import { program } from './seed-sign-in.ts'

test('doctor says which keychain has the key of a sign-in, and in which state it is', async () => {
  const desk = await startDesk()
  const bus = await startSecretBus({ keyring: { state: 'locked' } })
  const diagnose = async () => {
    const host = await desk.createHost({ argv: [...desk.site, '--refresh-token-store', 'keychain'], env: bus.env })
    const diagnosed = await diagnoseHelper(program, helper as AnyHelper, host, 'succeeded')
    return diagnosed?.diagnosis.identity?.find(({ text }) => /keyring|Secret Service/.test(text))
  }
  expect(await diagnose()).toEqual({
    status: 'bad',
    text: 'the keyring is locked',
    hint: 'start a new session of the client, which asks for its password, or unlock it in the program that manages your passwords, or set refresh-token-store to file and sign in again',
  })
  bus.state.state = 'unlocked'
  const { host } = new URL(desk.provider.url)
  expect(await diagnose()).toEqual({
    status: 'good',
    text: `the key of the sign-in is not yet in the Secret Service (Gatepass: key of the sign-in to ${host}), which is unlocked`,
  })
  const look = ['Hello', 'GetNameOwner', 'ReadAlias', 'Get']
  expect(bus.calls).toEqual([...look, ...look, 'SearchItems'])
})

test('whoami asks the keychain that the file names without opening a dialog', async () => {
  const desk = await startDesk()
  const bus = await startSecretBus({ keyring: { state: 'locked' } })
  const ask = () =>
    desk.run({ argv: ['whoami', ...desk.site], env: { ...bus.env, VENDOR_HELPER_CONTEXT: 'background' } })
  const { host: at } = new URL(desk.provider.url)
  expect(await ask()).toEqual(
    failure(4, `nobody is signed in to ${at}`, `sign in: oidc-token sign-in ${desk.site.join(' ')}`),
  )
  const settings = { clientId: 'gatepass', tokenUrl: `${desk.provider.url}/token` }
  const urls = { authorizationUrl: `${desk.provider.url}/authorize`, parameters: {} }
  const { sealed } = locateStore({ ...plainSettings(), ...settings, ...urls }, { ...(await desk.createHost()) })
  await mkdir(dirname(sealed), { recursive: true, mode: 0o700 })
  await chmod(dirname(sealed), 0o700)
  await writeFile(sealed, '{"format":1,"id":"one","key":"keychain"}\nsealed\n', { mode: 0o600 })
  expect(await ask()).toEqual({
    status: 6,
    stdout: '',
    stderr: [
      'oidc-token: the keyring is locked',
      'oidc-token: hint: start a new session of the client, which asks for its password, or unlock it in the program that manages your passwords, or set refresh-token-store to file and sign in again',
      '',
    ].join('\n'),
  })
  bus.state.state = 'unlocked'
  expect(await ask()).toEqual({
    status: 4,
    stdout: '',
    stderr: [
      `oidc-token: ${sealed} cannot be opened, because its key in the Secret Service (Gatepass: key of the sign-in to ${new URL(settings.tokenUrl).host}) is missing or damaged: nobody counts as signed in`,
      `oidc-token: hint: sign in: oidc-token sign-in --client-id gatepass --authorization-url ${urls.authorizationUrl} --token-url ${settings.tokenUrl}`,
      '',
    ].join('\n'),
  })
  const look = ['Hello', 'GetNameOwner', 'ReadAlias', 'Get']
  expect(bus.calls).toEqual([...look, ...look, 'SearchItems', ...look, 'SearchItems'])
})
