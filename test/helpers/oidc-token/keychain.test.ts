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

const look = ['Hello', 'GetNameOwner', 'ReadAlias', 'Get']
const unlock =
  'start a new session of the client, which asks for its password, or unlock it in the program that manages your passwords, or set refresh-token-store to file and sign in again'

test.each([
  ['locked', { status: 'bad', text: 'the keyring is locked', hint: unlock }, look],
  [
    'unlocked',
    {
      status: 'good',
      text: 'the key of the sign-in is not yet in the Secret Service (Gatepass: key of the sign-in to HOST), which is unlocked',
    },
    [...look, 'SearchItems'],
  ],
] as const)('doctor says which keychain has the key of a sign-in, and that it is %s', async (state, finding, calls) => {
  const desk = await startDesk()
  const bus = await startSecretBus({ keyring: { state } })
  const host = await desk.createHost({ argv: [...desk.site, '--refresh-token-store', 'keychain'], env: bus.env })
  const diagnosed = await diagnoseHelper(program, helper as AnyHelper, host, 'succeeded')
  const found = diagnosed?.diagnosis.identity?.find(({ text }) => /keyring|Secret Service/.test(text))
  const text = found?.text.replace(new URL(desk.provider.url).host, 'HOST')
  expect({ found: { ...found, text }, calls: bus.calls }).toEqual({ found: finding, calls })
})

/** A run of whoami in the background, at a desk whose keyring is in this state. */
async function startWhoami(state: 'locked' | 'unlocked') {
  const desk = await startDesk()
  const bus = await startSecretBus({ keyring: { state } })
  const env = { ...bus.env, VENDOR_HELPER_CONTEXT: 'background' }
  return { desk, bus, ask: () => desk.run({ argv: ['whoami', ...desk.site], env }) }
}

test('whoami asks no keychain where nobody is signed in', async () => {
  const { desk, bus, ask } = await startWhoami('locked')
  const { host } = new URL(desk.provider.url)
  expect([await ask(), bus.calls]).toEqual([
    failure(4, `nobody is signed in to ${host}`, `sign in: oidc-token sign-in ${desk.site.join(' ')}`),
    [],
  ])
})

test.each([
  ['locked', 6, 'the keyring is locked', unlock, look],
  [
    'unlocked',
    4,
    'FILE cannot be opened, because its key in the Secret Service (Gatepass: key of the sign-in to HOST) is missing or damaged: nobody counts as signed in',
    'sign in: oidc-token sign-in --client-id gatepass --authorization-url http://HOST/authorize --token-url http://HOST/token',
    [...look, 'SearchItems', ...look, 'SearchItems'],
  ],
] as const)('whoami asks the keychain that the file names, which is %s, without opening a dialog', async (...row) => {
  const [state, status, message, hint, calls] = row
  const { desk, bus, ask } = await startWhoami(state)
  const { host, origin } = new URL(desk.provider.url)
  const settings = { clientId: 'gatepass', tokenUrl: `${origin}/token`, authorizationUrl: `${origin}/authorize` }
  const { sealed } = locateStore({ ...plainSettings(), ...settings, parameters: {} }, await desk.createHost())
  await mkdir(dirname(sealed), { recursive: true, mode: 0o700 })
  await chmod(dirname(sealed), 0o700)
  await writeFile(sealed, '{"format":1,"id":"one","key":"keychain"}\nsealed\n', { mode: 0o600 })
  const [told, way] = [message, hint].map((text) => text.replace('FILE', sealed).replaceAll('HOST', host))
  expect([await ask(), bus.calls]).toEqual([failure(status, told!, way!), calls])
})
