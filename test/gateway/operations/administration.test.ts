import { describe, expect, test } from 'vitest'
import { createKey } from '../../../src/gateway/credentials/create-key.ts'
import { changeKey } from '../../../src/gateway/credentials/keys.ts'
import { createWorkspace } from '../../../src/gateway/store/workspaces.ts'
import { refusal, stageStart, startStage } from '../stage.ts'

async function start() {
  const stage = await startStage()
  const get = (path: string) =>
    stage.send('GET', `/v1/organizations/${path}`, { as: stage.seed.keys.administrative.secret })
  return { ...stage, get }
}

describe('Administrative operations', () => {
  test('List API Keys | every key in the list envelope, page by page', async () => {
    const { get, seed } = await start()
    const { body } = await get('api_keys')
    expect(body.next_page).toBe(null)
    expect(body.data.map((key: { id: string }) => key.id)).toEqual(Object.values(seed.keys).map(({ id }) => id))
    const first = (await get('api_keys?limit=3')).body
    const second = (await get(`api_keys?limit=3&page=${first.next_page}`)).body
    expect([...first.data, ...second.data]).toEqual(body.data)
  })

  test('Retrieve API Key | status, expires_at a timestamp, or null for a key without expiration', async () => {
    const { get, state, seed } = await start()
    const { key } = createKey(state, { kind: 'administrative', name: 'k', expiration: 86_400 })
    expect((await get(`api_keys/${key.id}`)).body).toEqual({
      type: 'api_key',
      id: key.id,
      name: 'k',
      kind: 'administrative',
      status: 'active',
      partial_key_hint: expect.stringMatching(/^sk-vendor-admin01-…[\w-]{4}$/),
      owner_id: null,
      workspace_id: null,
      created_at: new Date(stageStart).toISOString(),
      expires_at: new Date(stageStart + 86_400_000).toISOString(),
    })
    expect((await get(`api_keys/${seed.keys.personal.id}`)).body.expires_at).toBe(null)
  })

  test.each([
    ['disable', 'inactive'],
    ['delete', 'archived'],
  ] as const)('API key record | status after %s is %s', async (trigger, status) => {
    const { get, state, seed } = await start()
    changeKey(state, seed.keys.personal.id, trigger)
    expect((await get(`api_keys/${seed.keys.personal.id}`)).body.status).toBe(status)
  })

  test('Retrieve API Key | an unknown one is 404', async () => {
    const { get } = await start()
    expect(refusal(await get('api_keys/none'))).toBe('404 not_found_error: there is no such key')
  })

  test.each([
    ['workspaces', 'without'],
    ['workspaces?include_default=false', 'without'],
    ['workspaces?include_default=true', 'with'],
  ])('List Workspaces | %s is %s the Default Workspace', async (path, expected) => {
    const { get, seed } = await start()
    const { team, default: defaultWorkspace } = seed.workspaces
    expect((await get(path)).body.data.map((workspace: { id: string }) => workspace.id)).toEqual(
      expected === 'with' ? [defaultWorkspace, team] : [team],
    )
  })

  test('List Workspaces | include_default is a boolean', async () => {
    const { get } = await start()
    expect(refusal(await get('workspaces?include_default=yes'))).toBe(
      '400 invalid_request_error: include_default must be true or false',
    )
  })

  test('List Workspaces | a cursor of the list without the Default Workspace is refused in the list with it', async () => {
    const { get, state } = await start()
    createWorkspace(state, 'Second')
    const { next_page } = (await get('workspaces?limit=1')).body
    expect((await get(`workspaces?limit=1&page=${next_page}`)).body.data.length).toBe(1)
    expect((await get(`workspaces?include_default=true&page=${next_page}`)).status).toBe(400)
  })

  test('no secret is in any list', async () => {
    const { get, seed } = await start()
    const text = JSON.stringify([(await get('api_keys')).body, (await get('workspaces')).body])
    for (const { secret } of Object.values(seed.keys)) expect(text).not.toContain(secret.reveal().slice(16, -4))
  })
})
