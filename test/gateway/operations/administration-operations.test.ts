import { describe, expect, test } from 'vitest'
import { changeKey } from '../../../src/gateway/credentials/api-keys.ts'
import { createKey } from '../../../src/gateway/credentials/create-key.ts'
import { archiveWorkspace, createWorkspace } from '../../../src/gateway/store/workspaces.ts'
import { refusal, stageStart, startStage } from '../stage.ts'

async function start() {
  const stage = await startStage()
  const get = (path: string) =>
    stage.send('GET', `/v1/organizations/${path}`, { as: stage.seed.keys.administrative.secret })
  return { ...stage, get }
}

describe('Administrative operations', () => {
  test('List API Keys gives every key in the list envelope, page by page', async () => {
    const { get, seed } = await start()
    const { body } = await get('api_keys')
    const first = (await get('api_keys?limit=3')).body
    const second = (await get(`api_keys?limit=3&page=${first.next_page}`)).body
    expect({
      next: body.next_page,
      ids: body.data.map((key: { id: string }) => key.id),
      pages: [...first.data, ...second.data],
    }).toEqual({ next: null, ids: Object.values(seed.keys).map(({ id }) => id), pages: body.data })
  })

  test('Retrieve API Key gives status and expires_at, which is null for a key without expiration', async () => {
    const { get, state, seed } = await start()
    const { key, secret } = createKey(state, { kind: 'administrative', name: 'k', expiration: 86_400 })
    expect((await get(`api_keys/${key.id}`)).body).toEqual({
      type: 'api_key',
      id: key.id,
      name: 'k',
      kind: 'administrative',
      status: 'active',
      partial_key_hint: `sk-vendor-admin01-…${secret.reveal().slice(-4)}`,
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
  ] as const)('the API key record has, after %s, the status %s', async (trigger, status) => {
    const { get, state, seed } = await start()
    changeKey(state, seed.keys.personal.id, trigger)
    expect((await get(`api_keys/${seed.keys.personal.id}`)).body.status).toBe(status)
  })

  test('Retrieve API Key answers 404 for an unknown key', async () => {
    const { get } = await start()
    expect(refusal(await get('api_keys/none'))).toBe('404 not_found_error: there is no such key')
  })

  test.each([
    ['workspaces', 'without'],
    ['workspaces?include_default=false', 'without'],
    ['workspaces?include_default=true', 'with'],
  ])('List Workspaces by %s is %s the Default Workspace', async (path, expected) => {
    const { get, seed } = await start()
    const { team, default: defaultWorkspace } = seed.workspaces
    expect((await get(path)).body.data.map((workspace: { id: string }) => workspace.id)).toEqual(
      expected === 'with' ? [defaultWorkspace, team] : [team],
    )
  })

  test('List Workspaces takes include_default as a boolean', async () => {
    const { get } = await start()
    expect(refusal(await get('workspaces?include_default=yes'))).toBe(
      '400 invalid_request_error: include_default must be true or false',
    )
  })

  test('List Workspaces with the Default Workspace refuses a cursor of the list without it', async () => {
    const { get, state } = await start()
    createWorkspace(state, 'Second')
    const { next_page } = (await get('workspaces?limit=1')).body
    expect(refusal(await get(`workspaces?include_default=true&page=${next_page}`))).toBe(
      '400 invalid_request_error: page is not a cursor of this list: take it from next_page',
    )
  })

  test.each([
    ['all keys', '', [0, 1, 2, 3, 4], null],
    ['the first page', '?limit=2', [0, 1], expect.any(String)],
    ['no key', '?status=inactive', [], null],
  ])('the envelope for %s has has_more, first_id and last_id of published clients beside next_page', async (...row) => {
    const [, query, indices, next_page] = row
    const { get, seed } = await start()
    const all = Object.values(seed.keys).map(({ id }) => id)
    const ids = indices.map((index) => all[index])
    const { data, ...rest } = (await get(`api_keys${query}`)).body
    expect({ ids: data.map(({ id }: { id: string }) => id), ...rest }).toEqual({
      ids,
      next_page,
      has_more: next_page !== null,
      first_id: ids[0] ?? null,
      last_id: ids.at(-1) ?? null,
    })
  })

  test.each(['api_keys', 'workspaces?include_default=true'])(
    '%s can be paged through by after_id and before_id',
    async (path) => {
      const { get, state } = await start()
      for (const name of ['a', 'b', 'c']) createWorkspace(state, name)
      const ask = async (query: string) => (await get(`${path}${path.includes('?') ? '&' : '?'}${query}`)).body
      const all = (await get(path)).body.data
      const pages = [await ask('limit=2')]
      while (pages.at(-1).has_more) pages.push(await ask(`limit=2&after_id=${pages.at(-1).last_id}`))
      const back = [await ask(`limit=2&before_id=${all.at(-1).id}`)]
      while (back[0].has_more) back.unshift(await ask(`limit=2&before_id=${back[0].first_id}`))
      expect({
        forwards: pages.flatMap(({ data }) => data),
        backwards: back.flatMap(({ data }) => data),
        // From a page that was reached backwards, the cursor leads forwards.
        forwardsAgain: (await ask(`page=${back[0].next_page}`)).data,
        beforeFirst: await ask(`before_id=${all[0].id}`),
        beforeSecond: (await ask(`before_id=${all[1].id}`)).data,
      }).toEqual({
        forwards: all,
        backwards: all.slice(0, -1),
        forwardsAgain: all.slice(back[0].data.length),
        beforeFirst: { data: [], next_page: null, has_more: false, first_id: null, last_id: null },
        beforeSecond: [all[0]],
      })
    },
  )

  test('List API Keys selects by status and workspace_id on every page', async () => {
    const { get, state, seed } = await start()
    const { personal, unscoped, workspace } = seed.keys
    changeKey(state, personal.id, 'disable')
    changeKey(state, unscoped.id, 'delete')
    const ids = async (query: string) => (await get(`api_keys?${query}`)).body.data.map(({ id }: { id: string }) => id)
    const { team } = seed.workspaces
    expect([
      await ids('status=inactive'),
      await ids('status=archived'),
      await ids(`workspace_id=${team}`),
      await ids(`workspace_id=${team}&status=active`),
      await ids(`workspace_id=${seed.workspaces.default}`),
      await ids(`workspace_id=${team}&before_id=${seed.keys.administrative.id}&limit=1`),
    ]).toEqual([[personal.id], [unscoped.id], [personal.id, workspace.id], [workspace.id], [], [workspace.id]])
  })

  test('List API Keys refuses the cursor of a list of one workspace for the list of all', async () => {
    const { get, seed } = await start()
    const ofTeam = `workspace_id=${seed.workspaces.team}`
    const { next_page } = (await get(`api_keys?${ofTeam}&limit=1`)).body
    const next = (await get(`api_keys?${ofTeam}&page=${next_page}`)).body
    expect([next.data.map(({ id }: { id: string }) => id), refusal(await get(`api_keys?page=${next_page}`))]).toEqual([
      [seed.keys.workspace.id],
      '400 invalid_request_error: page is not a cursor of this list: take it from next_page',
    ])
  })

  test('List Workspaces selects by status and workspace_id', async () => {
    const { get, state, seed } = await start()
    const second = createWorkspace(state, 'Second').id
    archiveWorkspace(state, seed.workspaces.team)
    const ids = async (query: string) =>
      (await get(`workspaces?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect([
      await ids('status=active'),
      await ids('status=archived'),
      await ids('status=active&include_default=true'),
      await ids('include_archived=true'),
      await ids('include_archived=false'),
      await ids('include_archived=false&status=active&include_default=true'),
      await ids(`workspace_id=${second}`),
      await ids(`workspace_id=${seed.workspaces.default}`),
    ]).toEqual([
      [second],
      [seed.workspaces.team],
      [seed.workspaces.default, second],
      [seed.workspaces.team, second],
      [second],
      [seed.workspaces.default, second],
      [second],
      [],
    ])
  })

  test.each([
    ['api_keys?status=expired', 'status must be active or inactive or archived'],
    ['workspaces?status=inactive', 'status must be active or archived'],
    ['workspaces?include_archived=1', 'include_archived must be true or false'],
    ['api_keys?include_archived=true', 'this operation does not have the query parameter "include_archived"'],
    [
      'workspaces?status=archived&include_archived=false',
      'status=archived and include_archived=false exclude each other',
    ],
    ['api_keys?workspace_id=none', 'workspace_id is not a valid workspace ID'],
    ['api_keys?after_id=none', 'after_id is not the ID of a record in this list: take it from first_id or last_id'],
    ['workspaces?before_id=', 'before_id is not the ID of a record in this list: take it from first_id or last_id'],
    ['api_keys?after_id=a&before_id=b', 'after_id and before_id exclude each other'],
    ['api_keys?after_id=a&after_id=a', 'after_id is sent more than once'],
  ])('%s is answered with 400', async (path, why) => {
    const { get } = await start()
    expect(refusal(await get(path))).toBe(`400 invalid_request_error: ${why}`)
  })

  test('no list holds a secret', async () => {
    const { get, seed } = await start()
    const text = JSON.stringify([(await get('api_keys')).body, (await get('workspaces')).body])
    const parts = Object.values(seed.keys).map(({ secret }) => secret.reveal().slice(16, -4))
    expect(parts.filter((part) => text.includes(part))).toEqual([])
  })
})
