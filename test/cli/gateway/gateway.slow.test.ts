import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { message } from '../../gateway/stage.ts'
import { fails } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { runGatepass, writeTemporary } from '../run-gatepass.ts'
import { startGatewayCommand } from './start-gateway-command.ts'

const stateFile = async () => join(await temporaryDirectory(), 'state.db')

/** Runs a command of the console and reads its answer. */
async function onState(db: string, ...argv: string[]) {
  const { status, stdout, stderr } = await runGatepass('gateway', ...argv, '--db', db)
  return { status, stderr, value: stdout === '' ? undefined : JSON.parse(stdout) }
}

async function ask(url: string, key: string, headers = {}) {
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'vendor-version': '2023-06-01', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(message),
  })
  return response.status
}

describe('gatepass gateway', () => {
  test('prints its address and a sample of each object, and ends when it is interrupted', async () => {
    const { started, stop } = await startGatewayCommand()
    const answers = [await ask(started.url, started.keys.personal.secret), await ask(started.url, 'none')]
    const { status, stderr } = await stop()
    expect({
      host: new URL(started.url).hostname,
      answers,
      status,
      stderr: stderr.replace(/req_\w+/g, 'req_…'),
    }).toEqual({
      host: '127.0.0.1',
      answers: [200, 401],
      status: 0,
      stderr: `gatepass: this is a stand-in for the platform, for trials on this machine only; its state ends with it
POST /v1/messages 200 req_…
POST /v1/messages 401 (the credential is unknown) req_…
`,
    })
  })

  test('fails requests as --fault asks for', async () => {
    const { started } = await startGatewayCommand('--fault', 'POST /v1/messages 401 once', 'POST /v1/messages 529 once')
    const key = started.keys.personal.secret
    expect([await ask(started.url, key), await ask(started.url, key), await ask(started.url, key)]).toEqual([
      401, 529, 200,
    ])
  })

  test('accepts a feature that it is told of, and logs a version that it does not know', async () => {
    const { started, stop } = await startGatewayCommand('--allow-beta', 'a-2026-11-01', 'b-2026-11-02')
    const beta = (name: string) =>
      ask(started.url, started.keys.personal.secret, { 'vendor-version': '2026-11-03', 'vendor-beta': name })
    expect([await beta('a-2026-11-01'), await beta('b-2026-11-02'), await beta('c-2026-11-03')]).toEqual([
      200, 200, 400,
    ])
    const note = '(vendor-version 2026-11-03: not in the specification) req_…'
    expect(
      (await stop()).stderr
        .replace(/req_\w+/g, 'req_…')
        .split('\n')
        .slice(1),
    ).toEqual([`POST /v1/messages 200 ${note}`, `POST /v1/messages 200 ${note}`, `POST /v1/messages 400 ${note}`, ''])
  })

  test('serves the document that it is given', async () => {
    const { started } = await startGatewayCommand('--document', await writeTemporary('d.json', '{"inference":{}}'))
    const served = await (await fetch(`${started.url}/configuration`)).json()
    expect(served).toEqual({ inference: {}, expiresAt: expect.any(Number) })
  })

  test('keeps its state in a file, which the console moves while it runs', async () => {
    const db = await stateFile()
    const { value: seed } = await onState(db, 'seed')
    const { started, stop } = await startGatewayCommand('--db', db)
    const { id, secret } = seed.keys.personal
    const askAfter = async (...argv: string[]) => {
      const { value } = await onState(db, ...argv)
      return { value, answer: await ask(started.url, secret) }
    }
    const atFirst = await ask(started.url, secret)
    const disabled = await askAfter('keys', 'disable', id)
    const enabled = await askAfter('keys', 'enable', id)
    const removed = await askAfter('identities', 'remove', seed.identities.user)
    const [said] = (await stop()).stderr.split('\n')
    expect({ started, atFirst, disabled, answers: [enabled.answer, removed.answer], said }).toEqual({
      started: { url: expect.any(String) },
      atFirst: 200,
      disabled: {
        value: {
          id,
          status: 'inactive',
          state: 'inactive',
          type: 'api_key',
          name: 'Ada, team',
          kind: 'personal',
          partial_key_hint: expect.any(String),
          owner_id: seed.identities.user,
          workspace_id: seed.workspaces.team,
          created_at: expect.any(String),
          expires_at: null,
          warnings: [],
        },
        answer: 401,
      },
      answers: [200, 401],
      said: `gatepass: this is a stand-in for the platform, for trials on this machine only; its state is in ${db}`,
    })
  })

  test.each([
    ['--port', 'x', "option '--port <number>' argument 'x' is invalid"],
    ['--allow-beta', 'a,b', "option '--allow-beta <name...>' argument 'a,b' is invalid"],
    ['--port', '65536', "option '--port <number>' argument '65536' is invalid"],
    ['--fault', 'nonsense', '"nonsense" is not a fault'],
    ['--document', '/none', '/none cannot be read (ENOENT)'],
    ['--db', '/none/state.db', '/none/state.db cannot be used as a state'],
    ['--host', '0.0.0.0', "unknown option '--host'"],
  ])('refuses %s %s', async (flag, value, why) => {
    const { status, stdout, stderr } = await runGatepass('gateway', flag, value)
    expect([status !== 0, stdout, stderr.includes(why), stderr.includes('gatepass: hint: ')]).toEqual([
      true,
      '',
      true,
      true,
    ])
  })

  test('refuses a state file that is something else', async () => {
    const file = await writeTemporary('notes.txt', 'x'.repeat(4096))
    const { status, stderr } = await runGatepass('gateway', 'seed', '--db', file)
    expect([status, stderr]).toEqual([
      5,
      `gatepass: ${file} cannot be used as a state (ERR_SQLITE_ERROR)\ngatepass: hint: name another file with --db\n`,
    ])
  })

  test('leaves the database of another program as it is', async () => {
    const file = await stateFile()
    const notes = new DatabaseSync(file)
    notes.exec('CREATE TABLE notes (text)')
    expect(await runGatepass('gateway', 'seed', '--db', file)).toEqual(
      fails('gatepass', 5, `${file} cannot be used as a state (not of this version)`, 'name another file with --db'),
    )
    expect(notes.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'notes' }])
    notes.close()
  })

  test('reports a port that is taken', async () => {
    const { started } = await startGatewayCommand()
    const { port } = new URL(started.url)
    expect(await runGatepass('gateway', '--port', port)).toEqual(
      fails('gatepass', 5, `port ${port} cannot be used (EADDRINUSE)`, 'name another with --port, or 0 for any'),
    )
  })
})

describe('gatepass gateway keys', () => {
  test('makes a key of each type, with its expiration and warning dates', async () => {
    const db = await stateFile()
    const { value: seed } = await onState(db, 'seed')
    const { user, serviceAccount } = seed.identities
    const { team } = seed.workspaces
    const made = [
      await onState(
        db,
        'keys',
        'create',
        '--type',
        'personal',
        '--owner',
        user,
        '--workspace',
        team,
        '--expires',
        '30d',
      ),
      await onState(db, 'keys', 'create', '--type', 'service_account', '--owner', serviceAccount, '--name', 'CI'),
      await onState(db, 'keys', 'create', '--type', 'workspace', '--workspace', team, '--expires', '3h'),
      await onState(db, 'keys', 'create', '--type', 'administrative'),
    ]
    const { value: listed } = await onState(db, 'keys', 'list')
    const text = JSON.stringify(listed)
    expect({
      made: made.map(({ status, value }) => [status, value.kind, value.state, value.warnings.length]),
      listed: listed.length,
      secrets: made.filter(({ value }) => text.includes(value.secret)),
    }).toEqual({
      made: [
        [0, 'personal', 'active', 2],
        [0, 'service_account', 'active', 0],
        [0, 'workspace', 'active', 0],
        [0, 'administrative', 'active', 0],
      ],
      listed: 9,
      secrets: [],
    })
  })

  test('refuses what cannot be done, with a hint at what can', async () => {
    const db = await stateFile()
    const { value: seed } = await onState(db, 'seed')
    const { id } = seed.keys.personal
    await onState(db, 'keys', 'delete', id)
    expect(await runGatepass('gateway', 'keys', 'enable', id, '--db', db)).toEqual({
      status: 5,
      stdout: '',
      stderr:
        'gatepass: the key is archived: enable is not possible\ngatepass: hint: create another; see: gatepass gateway keys create --help\n',
    })
    expect((await onState(db, 'keys', 'enable', 'none')).stderr).toBe(
      `gatepass: there is no key "none"\ngatepass: hint: see: gatepass gateway keys list --db '${db}'\n`,
    )
  })

  test('allows no key a longer life than the given maximum', async () => {
    const db = await stateFile()
    const setAndCreate = async (life: string) => {
      const { value } = await onState(db, 'keys', 'maximum', life)
      const { status, stderr } = await onState(db, 'keys', 'create', '--type', 'administrative')
      return { value, status, stderr }
    }
    expect([await setAndCreate('7d'), await setAndCreate('never')]).toEqual([
      {
        value: { maximum_life_sec: 604_800 },
        status: 5,
        stderr: `gatepass: the organization allows keys of at most 604800 s
gatepass: hint: choose a shorter expiration, or raise the maximum; see: gatepass gateway keys maximum --help
`,
      },
      { value: { maximum_life_sec: null }, status: 0, stderr: '' },
    ])
  })
})

test('gatepass gateway workspaces, identities, tokens and federation lead from nothing to an exchanged token', async () => {
  const db = await stateFile()
  const { value: workspace } = await onState(db, 'workspaces', 'create', 'Team')
  const { value: account } = await onState(db, 'identities', 'create', 'service_account', 'CI')
  await onState(db, 'workspaces', 'add', workspace.id, account.id)
  const { generateKeyPair, exportJWK, SignJWT } = await import('jose')
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwks = join(await temporaryDirectory(), 'jwks.json')
  await writeFile(jwks, JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] }))
  const issuer = (await onState(db, 'federation', 'issuer', 'https://idp.example.com', '--jwks-file', jwks)).value.id
  const flags = ['--issuer', issuer, '--service-account', account.id, '--workspace', workspace.id, '--audience', 'api']
  const { value: rule } = await onState(
    db,
    'federation',
    'rule',
    ...flags,
    '--subject',
    'job-*',
    '--claim',
    'ref=main',
    '--life',
    '60',
    '--identity-reuse',
    'allowed',
  )
  const { started } = await startGatewayCommand('--db', db)
  const assertion = await new SignJWT({ ref: 'main' })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer('https://idp.example.com')
    .setAudience('api')
    .setSubject('job-7')
    .setExpirationTime('5m')
    .setJti('used twice')
    .sign(privateKey)
  const exchange = () =>
    fetch(`${started.url}/v1/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion,
        federation_rule_id: rule.id,
        organization_id: rule.organization,
      }),
    })
  await exchange()
  const token = (await (await exchange()).json()) as { access_token: string; expires_in: number }
  const { value: attested } = await onState(db, 'tokens', 'attest', '--workspace', workspace.id)
  const askWithBoth = async () => [await ask(started.url, token.access_token), await ask(started.url, attested.secret)]
  const before = await askWithBoth()
  const { value: revoked } = await onState(db, 'tokens', 'revoke')
  const after = await askWithBoth()
  await onState(db, 'workspaces', 'archive', workspace.id)
  const { value: workspaces } = await onState(db, 'workspaces', 'list')
  const credentials = [
    ['keys', 'create', '--type', 'workspace', '--workspace', workspace.id],
    ['tokens', 'attest', '--workspace', workspace.id],
    ['federation', 'rule', ...flags],
  ]
  const refused = await Promise.all(credentials.map((argv) => onState(db, ...argv)))
  expect({
    lives: [token.expires_in, attested.expires_in],
    before,
    revoked,
    after,
    archived: workspaces.map(({ archived_at }: { archived_at: unknown }) => archived_at),
    refused,
  }).toEqual({
    lives: [60, 3600],
    before: [200, 200],
    revoked: { revoked: 3 },
    after: [401, 401],
    archived: [null, expect.any(String)],
    refused: Array(3).fill({
      status: 5,
      stderr: `gatepass: the workspace "Team" is archived\ngatepass: hint: name another: gatepass gateway workspaces list --db '${db}'\n`,
    }),
  })
})
