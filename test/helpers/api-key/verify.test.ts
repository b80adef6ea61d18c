import { expect, onTestFinished, test } from 'vitest'
import { changeKey } from '../../../src/gateway/credentials/api-keys.ts'
import { createKey, type KeyPlan } from '../../../src/gateway/credentials/create-key.ts'
import { seedPlatform } from '../../../src/gateway/seed-platform.ts'
import { startPlatform } from '../../../src/gateway/start-platform.ts'
import { openState } from '../../../src/gateway/store/state.ts'
import { testNow } from '../../setup/test-host.ts'
import { toStableText, toStableValue } from '../../setup/to-stable-text.ts'
import { failure, inDays, program, startDesk } from './desk.ts'

const day = 86_400

async function start() {
  const clock = { now: testNow }
  const state = openState({ now: () => clock.now })
  const seed = seedPlatform(state)
  const platform = await startPlatform({ state })
  onTestFinished(() => platform.close())
  const desk = await startDesk()
  const create = (plan: Partial<KeyPlan>) => {
    const { key, secret } = createKey(state, {
      kind: 'personal',
      name: 'Desk',
      ownerId: seed.identities.user,
      expiration: 30 * day,
      ...plan,
    })
    return { id: key.id, text: secret.reveal() }
  }
  const host = new URL(platform.url).host
  const verify = ['--verify', '--base-url', platform.url, '--workspace', seed.workspaces.team]
  return { ...desk, clock, state, seed, create, host, verify, url: platform.url }
}

test('says which key it is, until when and what it may do, without the key', async () => {
  const { run, put, create, host, verify, seed } = await start()
  const key = create({})
  const lines = [
    `${host} accepts the key`,
    `it is ${key.id} (Desk), active`,
    `it acts as ${seed.identities.user}`,
    'it is not bound to one workspace',
    `it expires at ${inDays(30)}, in 30 days`,
    'it may use the API, and list the keys and workspaces of the organization',
  ]
  const stdout = `${lines.join('\n')}\n`
  expect(await run([...(await put(key.text)), ...verify])).toEqual({ status: 0, stdout, stderr: '' })
})

test('says what a key for one workspace may do', async () => {
  const { run, put, create, host, verify, seed } = await start()
  const key = create({ workspaceId: seed.workspaces.team })
  const stdout = `${host} accepts the key\nthe platform does not show this key its own record\nit may use the API, but not administer the organization\n`
  expect(await run([...(await put(key.text)), ...verify])).toEqual({ status: 0, stdout, stderr: '' })
})

test('store --verify says what the platform returns about the key', async () => {
  const { run, named, create, verify } = await start()
  const { text } = create({ expiration: 10 * day })
  expect(toStableValue(await run(['store', ...named, ...verify], { piped: text }))).toEqual({
    status: 0,
    stdout: '',
    stderr: `\
api-key: 127.0.0.1:PORT accepts the key
api-key: it is apikey_ID (Desk), active
api-key: it acts as user_ID
api-key: it is not bound to one workspace
api-key: it expires at DATE, in 10 days
api-key: it may use the API, and list the keys and workspaces of the organization
api-key: the key is kept in the file TEMPORARY/keys/key
`,
  })
})

test('the end of a key of ten days, which store --verify keeps, is reported one day before, not seven', async () => {
  const { run, named, create, verify } = await start()
  await run(['store', ...named, ...verify], { piped: create({ expiration: 10 * day }).text })
  const toldAfter = async (days: number) => {
    const now = testNow + days * day * 1000
    const clock = { now: () => now, startedAt: now, elapsedMs: () => 0 }
    return toStableText((await run(named, { streams: { attached: () => 'terminal' }, clock })).stderr)
  }
  expect([await toldAfter(8), await toldAfter(9.5)]).toEqual([
    '',
    "api-key: warning: the key expires at DATE, in 12 h 0 min; its life cannot be extended: have another key created, and store the key: api-key store --key-file 'TEMPORARY/keys/key'\n",
  ])
})

test('a key that the platform refuses is not stored', async () => {
  const { run, named, create, host, verify, state, path } = await start()
  const key = create({})
  changeKey(state, key.id, 'disable')
  const refusal = `${host} does not accept the key: HTTP 401 authentication_error: the credential is not accepted`
  const outcome = await run(['store', ...named, ...verify], { piped: key.text })
  expect({ ...outcome, stderr: outcome.stderr.replace(/ \(request \w+\)/, '') }).toEqual(
    failure(
      'refused',
      refusal,
      'it is expired, disabled, deleted or not of this platform: have another one created, and store that one; nothing is stored now',
    ),
  )
  expect(await run(named)).toEqual(
    failure(
      'not-configured',
      `there is no key in the file ${path}`,
      `store the key: ${program} store --key-file '${path}'`,
    ),
  )
})

test('a key that is not bound to a workspace needs one, and the hint says so', async () => {
  const { run, put, create, url } = await start()
  const outcome = await run([...(await put(create({}).text)), '--verify', '--base-url', url])
  expect(toStableValue(outcome)).toEqual({
    status: 5,
    stdout: '',
    stderr: `\
api-key: 127.0.0.1:PORT did not say whether it accepts the key: HTTP 400 invalid_request_error: vendor-workspace-id is required: the credential is not scoped to a workspace (request req_ID)
api-key: hint: name a workspace in vendor-workspace-id (--workspace), because the key is not scoped to one; to list them, with an administrative key: gatepass api workspaces list --include-default
`,
  })
})

test('without an address nothing is asked', async () => {
  const { run, put } = await startDesk()
  expect(await run([...(await put('sk-vendor-api01-abcdef')), '--verify'])).toEqual(
    failure(
      'not-configured',
      'no platform is set that can be asked about the key',
      `name its address with --base-url; see: ${program} --help`,
    ),
  )
})

test('plain http to another machine is refused before the key is sent', async () => {
  const { run, put } = await startDesk()
  const argv = [...(await put('sk-vendor-api01-abcdef')), '--verify', '--base-url', 'http://api.example.com']
  expect(await run(argv)).toEqual({
    stderr:
      'api-key: api.example.com would be sent a secret over plain http\napi-key: hint: write https://api.example.com as the address\n',
    status: 5,
    stdout: '',
  })
})
