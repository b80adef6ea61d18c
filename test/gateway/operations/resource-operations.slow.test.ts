import { describe, expect, test } from 'vitest'
import { createFile, createSession } from '../../../src/gateway/seed-platform.ts'
import { addResource } from '../../../src/gateway/store/resources.ts'
import { toStableText, toStableValue } from '../../setup/to-stable-text.ts'
import { type Answer, refusal, type SendOptions, type Stage, stageStart, startStage } from '../stage.ts'

const started = new Date(stageStart).toISOString()

/** A stage whose requests go to the seeded session's resources with the team's key. */
async function start() {
  const stage = await startStage()
  const { seed } = stage
  const call = (method: string, rest = '', options: SendOptions = {}) =>
    stage.send(method, `/v1/sessions/${seed.session}/resources${rest}`, { as: seed.keys.personal.secret, ...options })
  return { ...stage, call }
}

const ids = ({ body }: Answer): string[] => body.data.map((resource: { id: string }) => resource.id)

/** Adds files without the API, so that a test has many soon. */
function addFiles({ state, seed }: Stage, count: number, session = seed.session): string[] {
  return Array.from({ length: count }, () => {
    const file = { type: 'file', file_id: seed.file, mount_path: '/mnt/f' } as const
    return addResource(state, session, file).id
  })
}

describe('Session resource', () => {
  test('a file has type, id, created_at, updated_at, file_id and mount_path', async () => {
    const { call, seed } = await start()
    expect(
      toStableValue((await call('GET', `/${seed.resources.file}`)).body, {
        [seed.resources.file]: 'ITSELF',
        [started]: 'STARTED',
      }),
    ).toEqual({
      type: 'file',
      id: 'ITSELF',
      created_at: 'STARTED',
      updated_at: 'STARTED',
      file_id: 'file_ID',
      mount_path: '/mnt/session/uploads/file_ID',
    })
  })

  test('a git_repository has type, id, created_at, updated_at, mount_path, url and checkout, but no authorization_token', async () => {
    const { call, seed } = await start()
    expect((await call('GET', `/${seed.resources.repository}`)).body).toEqual({
      type: 'git_repository',
      id: seed.resources.repository,
      created_at: started,
      updated_at: started,
      mount_path: '/mnt/session/repository',
      url: 'https://git.example.com/team/repository.git',
      checkout: { type: 'branch', name: 'main' },
    })
  })

  test('a memory_store has type, memory_store_id, access and four further fields', async () => {
    const { call, seed } = await start()
    const { body } = await call('GET', `/${seed.resources.memoryStore}`)
    expect(toStableValue(body)).toEqual({
      type: 'memory_store',
      id: 'sesrsc_ID',
      created_at: 'DATE',
      updated_at: 'DATE',
      memory_store_id: 'memstore_ID',
      access: 'read_write',
      mount_path: '/mnt/session/memory',
    })
  })
})

describe('List session resources', () => {
  test('data holds all three kinds, ordered by created_at', async () => {
    const { call, seed } = await start()
    const { status, body } = await call('GET')
    const kinds = body.data.map((resource: { type: string }) => resource.type)
    expect({ status, kinds, ids: ids({ body } as Answer), next: body.next_page }).toEqual({
      status: 200,
      kinds: ['file', 'git_repository', 'memory_store'],
      ids: Object.values(seed.resources),
      next: null,
    })
  })

  test('is ordered by created_at even if the clock goes back', async () => {
    const stage = await start()
    stage.advance(-3600)
    const late = addFiles(stage, 2)
    const { body } = await stage.call('GET')
    expect(body.data.slice(3).map((resource: { id: string }) => resource.id)).toEqual(late)
    const times = body.data.map((resource: { created_at: string }) => resource.created_at)
    expect(times).toEqual([...times].sort())
  })

  test('all resources are returned without a limit', async () => {
    const stage = await start()
    addFiles(stage, 1500)
    const { body } = await stage.call('GET')
    expect([body.data.length, body.next_page]).toEqual([1503, null])
  })

  test.each(['1', '2', '3', '1000'])('the pages of limit %s together are the whole list', async (limit) => {
    const stage = await start()
    addFiles(stage, 4)
    const all = ids(await stage.call('GET'))
    const seen: string[] = []
    let page: string | null = null
    do {
      const answer: Answer = await stage.call('GET', `?limit=${limit}${page ? `&page=${page}` : ''}`)
      expect(answer.body.data.length).toBeLessThanOrEqual(Number(limit))
      seen.push(...ids(answer))
      page = answer.body.next_page
    } while (page !== null)
    expect(seen).toEqual(all)
  })

  test('next_page is null only when there are no more', async () => {
    const { call } = await start()
    expect((await call('GET', '?limit=3')).body.next_page).toBe(null)
    expect((await call('GET', '?limit=2')).body.next_page).toEqual(expect.any(String))
  })

  test('page without limit gives all the remaining resources', async () => {
    const { call } = await start()
    const first = await call('GET', '?limit=1')
    expect(ids(await call('GET', `?page=${first.body.next_page}`))).toEqual(ids(await call('GET')).slice(1))
  })

  test('cursors stay valid while items are added', async () => {
    const stage = await start()
    const before = ids(await stage.call('GET'))
    const seen: string[] = []
    const added: string[] = []
    let page: string | null = ''
    while (page !== null) {
      const answer: Answer = await stage.call('GET', `?limit=2${page && `&page=${page}`}`)
      seen.push(...ids(answer))
      page = answer.body.next_page
      if (added.length < 6) added.push(...addFiles(stage, 3))
    }
    expect(seen).toEqual([...before, ...added])
  })

  test.each(['0', '-1', '1001', '1.5', 'ten', '', '1e2', '99999999999', ' 1', '0x10'])(
    'limit %j is answered with 400',
    async (limit) => {
      const { call } = await start()
      expect(refusal(await call('GET', `?limit=${encodeURIComponent(limit)}`))).toBe(
        '400 invalid_request_error: limit must be a whole number from 1 to 1000',
      )
    },
  )

  test('a page that is not a cursor of this list is refused', async () => {
    const stage = await start()
    const { call, state, seed, send } = stage
    const other = createSession(state, seed.workspaces.team)
    addFiles(stage, 2, other)
    const as = seed.keys.personal.secret
    const foreign = (await send('GET', `/v1/sessions/${other}/resources?limit=1`, { as })).body.next_page
    const own = (await call('GET', '?limit=1')).body.next_page
    for (const cursor of [
      foreign,
      '',
      'AAAA',
      'none',
      `${own}A`,
      `${own}=`,
      own.slice(1),
      own.toUpperCase(),
      '%00',
      '1',
    ]) {
      expect(refusal(await call('GET', `?page=${cursor}`))).toBe(
        '400 invalid_request_error: page is not a cursor of this list: take it from next_page',
      )
    }
  })

  test.each([
    ['limit=1&limit=2', 'limit is sent more than once'],
    ['limt=1', 'this operation does not have the query parameter "limt"'],
  ])('query %s is answered with 400', async (query, why) => {
    const { call } = await start()
    expect(refusal(await call('GET', `?${query}`))).toBe(`400 invalid_request_error: ${why}`)
  })
})

describe('Add session resource', () => {
  const add = async ({ call }: Awaited<ReturnType<typeof start>>, body: unknown) => call('POST', '', { body })

  test('type and file_id give a file resource that is mounted at /mnt/session/uploads/<file_id>', async () => {
    const stage = await start()
    const { file } = stage.seed
    stage.advance(60)
    const at = new Date(stage.now()).toISOString()
    const answer = await add(stage, { type: 'file', file_id: file })
    expect([answer.status, { ...answer.body, id: toStableText(answer.body.id) }]).toEqual([
      200,
      {
        type: 'file',
        id: 'sesrsc_ID',
        created_at: at,
        updated_at: at,
        file_id: file,
        mount_path: `/mnt/session/uploads/${file}`,
      },
    ])
    expect((await stage.call('GET')).body.data.at(-1)).toEqual(answer.body)
  })

  test.each([
    ['null', null, undefined],
    ['of 1 character', '/', '/'],
    ['of 4096 characters', `/${'p'.repeat(4095)}`, `/${'p'.repeat(4095)}`],
  ])('mount_path may be %s', async (_, mount_path, expected) => {
    const stage = await start()
    const file_id = stage.seed.file
    const { body } = await add(stage, { type: 'file', file_id, mount_path })
    expect(body.mount_path).toBe(expected ?? `/mnt/session/uploads/${file_id}`)
  })

  test.each<[what: string, body: (file: string) => unknown, why: string]>([
    [
      'mount_path of 0 characters',
      (file_id) => ({ type: 'file', file_id, mount_path: '' }),
      'mount_path: expected 1 to 4096 characters',
    ],
    [
      'mount_path of 4097 characters',
      (file_id) => ({ type: 'file', file_id, mount_path: 'p'.repeat(4097) }),
      'mount_path: expected 1 to 4096 characters',
    ],
    [
      'mount_path that is a number',
      (file_id) => ({ type: 'file', file_id, mount_path: 1 }),
      'mount_path: Invalid input: expected string, received number',
    ],
    ['no file_id', () => ({ type: 'file' }), 'file_id: Invalid input: expected string, received undefined'],
    ['file_id of 0 characters', () => ({ type: 'file', file_id: '' }), 'file_id: expected 1 to 128 characters'],
    [
      'file_id of 129 characters',
      () => ({ type: 'file', file_id: 'f'.repeat(129) }),
      'file_id: expected 1 to 128 characters',
    ],
    ['no type', (file_id) => ({ file_id }), 'type: Invalid input: expected string, received undefined'],
    [
      'a field that it does not have',
      (file_id) => ({ type: 'file', file_id, bogus: 1 }),
      'the body: unknown members: "bogus"',
    ],
    [
      'type git_repository',
      () => ({ type: 'git_repository', url: 'https://a' }),
      'type: only a resource of type "file" can be added',
    ],
    ['type memory_store', () => ({ type: 'memory_store' }), 'type: only a resource of type "file" can be added'],
    ['another type', () => ({ type: 'bogus' }), 'type: only a resource of type "file" can be added'],
    ['a list', () => [], 'the body: Invalid input: expected object, received array'],
  ])('%s is answered with 400', async (_, body, why) => {
    const stage = await start()
    expect(refusal(await add(stage, body(stage.seed.file)))).toBe(`400 invalid_request_error: ${why}`)
    expect((await stage.call('GET')).body.data.length).toBe(3)
  })

  test('file_id of 128 characters is accepted and not found', async () => {
    const stage = await start()
    expect(refusal(await add(stage, { type: 'file', file_id: 'f'.repeat(128) }))).toBe(
      '404 not_found_error: file_id: there is no such file',
    )
  })

  test('a file of another workspace is not found', async () => {
    const stage = await start()
    const file_id = createFile(stage.state, stage.seed.workspaces.default)
    expect(refusal(await add(stage, { type: 'file', file_id }))).toBe(
      '404 not_found_error: file_id: there is no such file',
    )
  })
})

describe('Get session resource', () => {
  test.each(['file', 'repository', 'memoryStore'] as const)(
    'a resource of any kind is found by its id: %s',
    async (kind) => {
      const { call, seed } = await start()
      const { status, body } = await call('GET', `/${seed.resources[kind]}`)
      expect([status, body.id]).toEqual([200, seed.resources[kind]])
    },
  )

  test('an unknown session, an unknown resource and a resource of another session are 404', async () => {
    const { call, send, seed, state } = await start()
    const as = seed.keys.personal.secret
    const other = createSession(state, seed.workspaces.team)
    const none = `sesrsc_${'0'.repeat(26)}`
    expect([
      refusal(await send('GET', `/v1/sessions/sesn_none/resources/${none}`, { as })),
      refusal(await call('GET', `/${none}`)),
      refusal(await send('GET', `/v1/sessions/${other}/resources/${seed.resources.file}`, { as })),
    ]).toEqual([
      '404 not_found_error: there is no such session',
      '404 not_found_error: there is no such resource',
      '404 not_found_error: there is no such resource',
    ])
  })
})

describe('Update session resource', () => {
  test.each([1, 4096])(
    'authorization_token of %i characters gives the updated resource without the token',
    async (length) => {
      const stage = await start()
      const { call, seed } = stage
      stage.advance(60)
      const body = { authorization_token: 'ä'.repeat(length) }
      const before = (await call('GET')).body.data
      const answer = await call('POST', `/${seed.resources.repository}`, { body })
      const updated = { ...before[1], updated_at: new Date(stage.now()).toISOString() }
      expect([answer.status, answer.body]).toEqual([200, updated])
      expect((await call('GET')).body.data).toEqual([before[0], updated, before[2]])
    },
  )

  test('a token is stored as a digest', async () => {
    const { call, seed, state } = await start()
    const digest = () => state.sql.get`SELECT token_digest FROM resources WHERE id = ${seed.resources.repository}`
    expect(digest()).toEqual({ token_digest: null })
    await call('POST', `/${seed.resources.repository}`, { body: { authorization_token: 'new' } })
    expect(toStableValue(digest())).toEqual({ token_digest: 'SHA256' })
  })

  test.each(['file', 'memoryStore'] as const)(
    '%s does not support rotation, and is answered with 400',
    async (kind) => {
      const { call, seed } = await start()
      expect(refusal(await call('POST', `/${seed.resources[kind]}`, { body: { authorization_token: 't' } }))).toBe(
        '400 invalid_request_error: only a resource of type "git_repository" has an authorization token',
      )
    },
  )

  test.each([
    ['none', {}, 'authorization_token: Invalid input: expected string, received undefined'],
    ['0 characters', { authorization_token: '' }, 'authorization_token: expected 1 to 4096 characters'],
    [
      '4097 characters',
      { authorization_token: 't'.repeat(4097) },
      'authorization_token: expected 1 to 4096 characters',
    ],
    ['null', { authorization_token: null }, 'authorization_token: Invalid input: expected string, received null'],
    ['another field beside it', { authorization_token: 't', url: 'https://a' }, 'the body: unknown members: "url"'],
  ])('authorization_token is refused without being repeated: %s', async (_, body, why) => {
    const { call, seed } = await start()
    expect(refusal(await call('POST', `/${seed.resources.repository}`, { body }))).toBe(
      `400 invalid_request_error: ${why}`,
    )
  })
})
