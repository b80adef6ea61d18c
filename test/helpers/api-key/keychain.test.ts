import { expect, test } from 'vitest'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { startSecretBus } from '../../stand-ins/bus/secret-bus.ts'
import { canary, inDays, printed, startDesk } from './desk.ts'

test('a key goes into the keychain under its name, and comes out under the same', async () => {
  const { run } = await startDesk()
  const { env } = await startSecretBus()
  const store = await run(['store', '--expires-at', inDays(90)], { env, piped: canary })
  expect(store).toEqual({
    status: 0,
    stdout: '',
    stderr: `api-key: the key is kept in the Secret Service (Gatepass: API key default)\napi-key: it expires at ${inDays(90)}, in 90 days\n`,
  })
  expect([
    await run(['store', '--key-name', 'team'], { env, piped: `${canary}-2` }),
    await run(['--header', 'X-Key: {key_name} {expires_at}'], { env }),
    await run(['--key-name', 'team'], { env }),
  ]).toEqual([
    {
      status: 0,
      stdout: '',
      stderr: [
        'api-key: the key is kept in the Secret Service (Gatepass: API key team)',
        'api-key: it is not known when it expires: set --expires-at, or ask the platform with --verify',
        '',
      ].join('\n'),
    },
    printed({ token: canary, headers: { 'X-Key': `default ${inDays(90)}` } }),
    printed({ token: `${canary}-2` }),
  ])
})

test('a key is removed by its name, and the others stay', async () => {
  const { run } = await startDesk()
  const { env } = await startSecretBus()
  await run(['store'], { env, piped: canary })
  await run(['store', '--key-name', 'team'], { env, piped: `${canary}-2` })
  expect([
    await run(['forget', '--key-name', 'team'], { env }),
    await run(['--key-name', 'team'], { env }),
    await run([], { env }),
  ]).toEqual([
    {
      stdout: '',
      status: 0,
      stderr:
        'api-key: the key is removed from the Secret Service (Gatepass: API key team); the platform accepts it until it expires or is deleted there\n',
    },
    {
      status: 3,
      stdout: '',
      stderr: [
        'api-key: there is no key in the Secret Service (Gatepass: API key team)',
        "api-key: hint: store the key: api-key store --key-name 'team'",
        '',
      ].join('\n'),
    },
    printed({ token: canary }),
  ])
})

/** Prepares a desk whose key is in a keychain that is locked. */
async function startLocked() {
  const { run } = await startDesk()
  const { env, state, calls } = await startSecretBus()
  await run(['store'], { env, piped: canary })
  state.state = 'locked'
  return { run, env, calls }
}

test('a locked keychain fails a silent run without a question', async () => {
  const { run, env, calls } = await startLocked()
  const silent = await run([], { env: { ...env, ...toContextVariables('background') } })
  expect({ ...silent, prompts: calls.filter((call) => call === 'Prompt').length }).toEqual({
    prompts: 0,
    status: 6,
    stdout: '',
    stderr: [
      'api-key: the keyring is locked',
      'api-key: hint: start a new session of the client, which asks for its password, or unlock it in the program that manages your passwords, or name a file that holds the key with key-file',
      '',
    ].join('\n'),
  })
})

test('a locked keychain asks the person of a session once', async () => {
  const { run, env, calls } = await startLocked()
  const session = { env: { ...env, ...toContextVariables('interactive') } }
  const outcomes = await Promise.all([run([], session), run([], session), run([], session)])
  expect({ outcomes, prompts: calls.filter((call) => call === 'Prompt') }).toEqual({
    outcomes: Array(3).fill(printed({ token: canary })),
    prompts: ['Prompt'],
  })
})

test('a key that somebody else has stored is checked like a file', async () => {
  const { run } = await startDesk()
  const { env, state } = await startSecretBus()
  await run(['store'], { env, piped: canary })
  state.items = state.items.map((item) => ({ ...item, value: 'YOUR_API_KEY' }))
  expect(await run([], { env })).toEqual({
    stdout: '',
    status: 3,
    stderr: [
      'api-key: the key in the Secret Service (Gatepass: API key default) is a placeholder, which somebody meant to replace',
      'api-key: hint: store the key: api-key store',
      '',
    ].join('\n'),
  })
})
