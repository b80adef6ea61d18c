import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { changeKey, listKeys } from '../../../src/gateway/credentials/api-keys.ts'
import { seedPlatform } from '../../../src/gateway/seed-platform.ts'
import { createIdentifiers, isIdentifier } from '../../../src/gateway/store/identifiers.ts'
import { openState } from '../../../src/gateway/store/state.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { message, startStage } from '../stage.ts'

describe('an identifier', () => {
  test('begins with its kind and sorts in the order of creation, within a millisecond and when the clock goes back', () => {
    let now = Date.UTC(2026, 0, 15)
    const create = createIdentifiers(() => now)
    const made = Array.from({ length: 2000 }, (_, index) => {
      if (index % 100 === 0) now += index % 200 === 0 ? 5 : -3
      return create('apiKey')
    })
    expect([...new Set(made)].filter((id) => isIdentifier('apiKey', id)).sort()).toEqual(made)
  })

  test.each([
    '',
    'apikey_',
    'apikey',
    'wrkspc_01jf0odng0039t5qs9e4ftt8q4',
    'apikey_01jf0odng0039t5qs9e4ftt8q4_',
    'apikey_01JF0ODNG0039T5QS9E4FTT8Q4',
  ])('%j is not that of a key', (text) => {
    expect(isIdentifier('apiKey', text)).toBe(false)
  })
})

describe('the state', () => {
  test('stores secrets as digests only', async () => {
    const directory = await temporaryDirectory()
    const stage = await startStage({ file: join(directory, 'state.db') })
    const { seed, send } = stage
    const rotated = { authorization_token: 'canary-authorization-token' }
    const path = `/v1/sessions/${seed.session}/resources/${seed.resources.repository}`
    await send('POST', path, { as: seed.keys.personal.secret, body: rotated })
    const files = await Promise.all((await readdir(directory)).map((name) => readFile(join(directory, name))))
    const all = Buffer.concat(files)
    const secrets = [...Object.values(seed.keys).map(({ secret }) => secret), seed.attestationToken]
    const searched = [
      ...secrets.map((secret) => secret.reveal().slice(-20)),
      'canary-authorization-token',
      seed.session,
    ]
    expect(searched.filter((text) => all.includes(text))).toEqual([seed.session])
  })

  test('is readable by its owner only', async () => {
    const file = join(await temporaryDirectory(), 'state.db')
    openState({ file, now: Date.now }).close()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('survives the process, with the cursors of its lists', async () => {
    const file = join(await temporaryDirectory(), 'state.db')
    const first = openState({ file, now: Date.now })
    const seed = seedPlatform(first)
    first.close()
    const second = openState({ file, now: Date.now })
    const keys = listKeys(second).map(({ id }) => id)
    expect([second.organizationId, second.cursorKey, keys]).toEqual([
      seed.organization,
      first.cursorKey,
      Object.values(seed.keys).map(({ id }) => id),
    ])
    second.close()
  })

  test('shows a change by another process to the next request', async () => {
    const file = join(await temporaryDirectory(), 'state.db')
    const { seed, send, now } = await startStage({ file })
    const ask = async () =>
      (await send('POST', '/v1/messages', { as: seed.keys.personal.secret, body: message })).status
    const console = openState({ file, now })
    const statuses = [await ask()]
    for (const change of ['disable', 'enable'] as const) {
      changeKey(console, seed.keys.personal.id, change)
      statuses.push(await ask())
    }
    expect(statuses).toEqual([200, 401, 200])
    console.close()
  })
})

describe('the served configuration document', () => {
  test('names the gateway, and the time in seconds at which it expires', async () => {
    const { send, url, now } = await startStage()
    expect((await send('GET', '/configuration')).body).toEqual({
      $schemaVersion: 2,
      inference: { provider: 'gateway', baseUrl: url },
      expiresAt: now() / 1000 + 3600,
    })
  })

  test('is the given one, with a new expiry in each answer', async () => {
    const document = { $schemaVersion: 2, inference: { provider: 'gateway' }, expiresAt: 1 }
    const { send, advance, now } = await startStage({ document })
    await send('GET', '/configuration')
    advance(100)
    expect((await send('GET', '/configuration')).body).toEqual({ ...document, expiresAt: now() / 1000 + 3600 })
  })
})
