import { describe, expect, test } from 'vitest'
import { createApi } from '../../src/api/create-api.ts'
import { iteratePages } from '../../src/api/list.ts'
import { isKnownResource, parseSessionResource } from '../../src/api/session-resource.ts'
import { createFile } from '../../src/gateway/seed-platform.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import { type Stage, startStage } from '../gateway/stage.ts'
import { toStableText } from '../setup/to-stable-text.ts'
import { connectionTo, credential, startRecordingServer } from './recording-server.ts'

/** Returns a client of a stage, with one of its keys. */
function apiOf({ url, seed }: Stage, key: keyof Stage['seed']['keys'] = 'personal', workspaceId?: string) {
  const current = async () => credential(seed.keys[key].secret.reveal())
  const credentials = { current, renew: async () => undefined }
  return createApi(connectionTo(url, { credentials, ...(workspaceId && { workspaceId }) }))
}

describe('every operation against the stand-in', () => {
  test('List session resources gives all at once without limit', async () => {
    const stage = await startStage()
    const { data, next_page } = await apiOf(stage).resources.list(stage.seed.session)
    expect([data.map(({ type }) => type), next_page]).toEqual([['file', 'git_repository', 'memory_store'], null])
  })

  test('List session resources gives the same resources page by page', async () => {
    const stage = await startStage()
    const { resources } = apiOf(stage)
    const all = await resources.list(stage.seed.session)
    const first = await resources.list(stage.seed.session, { limit: 2 })
    const second = await resources.list(stage.seed.session, { limit: 2, page: first.next_page! })
    const iterated = await Array.fromAsync(resources.iterate(stage.seed.session, { limit: 1 }))
    expect({ pages: [...first.data, ...second.data], iterated }).toEqual({ pages: all.data, iterated: all.data })
  })

  test('Add session resource mounts a file at its mount_path, or by default among the uploads', async () => {
    const stage = await startStage()
    const { resources } = apiOf(stage)
    const { session, file, workspaces } = stage.seed
    const added = [
      await resources.add(session, { file_id: file }),
      await resources.add(session, { file_id: createFile(stage.state, workspaces.team), mount_path: '/mnt/x' }),
    ]
    expect(added.map(({ mount_path }) => mount_path)).toEqual([`/mnt/session/uploads/${file}`, '/mnt/x'])
  })

  test('Get session resource gives what Add session resource answered with', async () => {
    const stage = await startStage()
    const { resources } = apiOf(stage)
    const added = await resources.add(stage.seed.session, { file_id: stage.seed.file })
    expect(await resources.get(stage.seed.session, added.id)).toEqual(added)
  })

  test('Update session resource answers with the resource, without the new token', async () => {
    const stage = await startStage()
    const { resources } = apiOf(stage)
    const before = await resources.get(stage.seed.session, stage.seed.resources.repository)
    expect(await resources.rotate(stage.seed.session, stage.seed.resources.repository, 'canary')).toEqual(before)
  })

  test('Send events answers with what was sent', async () => {
    const stage = await startStage()
    const event = { type: 'user.message', content: [{ type: 'text', text: 'a' }] } as const
    const [sent, ...others] = await apiOf(stage).events.send(stage.seed.session, [event])
    expect([sent?.content, typeof sent?.processed_at, others]).toEqual([event.content, 'string', []])
  })

  const request = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hello?' }] }

  test('Create message gives a message', async () => {
    const { id, ...message } = await apiOf(await startStage()).messages.create(request)
    expect({ id: toStableText(String(id)), ...message }).toEqual({
      id: 'msg_ID',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Hello?' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    })
  })

  test('Create message streams a message as it arrives', async () => {
    const { body, headers } = await apiOf(await startStage()).messages.stream(request)
    const events = toStableText(Buffer.concat(await Array.fromAsync(body)).toString())
    expect([headers['content-type'], ...events.split('\n\n')]).toEqual([
      'text/event-stream',
      'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_ID","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":0}}}',
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
      'event: ping\ndata: {"type":"ping"}',
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello?"}}',
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}',
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}',
      'event: message_stop\ndata: {"type":"message_stop"}',
      '',
    ])
  })

  test('Retrieve API Key gives a key as List API Keys does', async () => {
    const { keys } = apiOf(await startStage(), 'administrative')
    const listed = await Array.fromAsync(keys.iterate({ limit: 2 }))
    expect(listed.map(({ status, expires_at }) => [status, expires_at])).toEqual(Array(5).fill(['active', null]))
    expect(await keys.get(listed[0]!.id)).toEqual(listed[0])
  })

  test('List Workspaces includes the default one on request', async () => {
    const { workspaces } = apiOf(await startStage(), 'administrative')
    const counts = {
      own: (await workspaces.list()).data.length,
      withDefault: (await workspaces.list({ includeDefault: true })).data.length,
      pageByPage: (await Array.fromAsync(workspaces.iterate({ includeDefault: true, limit: 1 }))).length,
    }
    expect(counts).toEqual({ own: 1, withDefault: 2, pageByPage: 2 })
  })

  test('an unscoped key without a workspace is refused', async () => {
    const stage = await startStage()
    const { message, ...error } = await apiOf(stage, 'unscoped')
      .resources.list(stage.seed.session)
      .catch((thrown) => thrown)
    expect({ ...error, message: toStableText(message) }).toEqual({
      name: 'ApiError',
      kind: 'refused',
      status: 400,
      type: 'invalid_request_error',
      requestId: expect.any(String),
      message:
        'HTTP 400 invalid_request_error: vendor-workspace-id is required: the credential is not scoped to a workspace (request req_ID)',
      hint: 'name a workspace in vendor-workspace-id (--workspace), because the key is not scoped to one; to list them, with an administrative key: gatepass api workspaces list --include-default',
    })
  })

  test('an unscoped key with a workspace gets what a key of the workspace gets', async () => {
    const stage = await startStage()
    const clients = [apiOf(stage, 'unscoped', stage.seed.workspaces.team), apiOf(stage)]
    const [unscoped, scoped] = await Promise.all(clients.map(({ resources }) => resources.list(stage.seed.session)))
    expect(unscoped).toEqual(scoped)
  })
})

describe('Limits, checked before anything is sent', () => {
  const wasSent = new Error('was sent')
  const nowhere = createApi(connectionTo('https://api.invalid', { fetch: () => Promise.reject(wasSent) }))

  const limitHint = 'give a whole number from 1 to 1000, or none for all at once'
  const identifierHint = 'copy it from the list that it comes from'
  test.each<[message: string, hint: string, call: () => Promise<unknown>]>([
    ['limit is 0', limitHint, () => nowhere.resources.list('s', { limit: 0 })],
    ['limit is 1001', limitHint, () => nowhere.resources.list('s', { limit: 1001 })],
    ['limit is 1.5', limitHint, () => nowhere.keys.list({ limit: 1.5 })],
    ['limit is NaN', limitHint, () => nowhere.workspaces.list({ limit: Number.NaN })],
    ['limit is 0', limitHint, () => nowhere.resources.iterate('s', { limit: 0 }).next()],
    ['file_id is 0 characters long', 'give it 1 to 128 characters', () => nowhere.resources.add('s', { file_id: '' })],
    [
      'file_id is 129 characters long',
      'give it 1 to 128 characters',
      () => nowhere.resources.add('s', { file_id: 'f'.repeat(129) }),
    ],
    [
      'mount_path is 0 characters long',
      'give it 1 to 4096 characters',
      () => nowhere.resources.add('s', { file_id: 'f', mount_path: '' }),
    ],
    [
      'mount_path is 4097 characters long',
      'give it 1 to 4096 characters',
      () => nowhere.resources.add('s', { file_id: 'f', mount_path: 'p'.repeat(4097) }),
    ],
    [
      'authorization_token is 0 characters long',
      'give it 1 to 4096 characters',
      () => nowhere.resources.rotate('s', 'r', ''),
    ],
    [
      'authorization_token is 4097 characters long',
      'give it 1 to 4096 characters',
      () => nowhere.resources.rotate('s', 'r', 't'.repeat(4097)),
    ],
    ['session_id is not an identifier', identifierHint, () => nowhere.resources.list('..')],
    ['session_id is not an identifier', identifierHint, () => nowhere.events.send('', [])],
    ['resource_id is not an identifier', identifierHint, () => nowhere.resources.get('s', '.')],
    ['api_key_id is not an identifier', identifierHint, () => nowhere.keys.get('')],
  ])('%s is refused', async (message, hint, call) => {
    await expect(call()).rejects.toEqual(new HelperError('usage', message, hint))
  })

  test.each<[what: string, call: () => Promise<unknown>]>([
    ['limit of 1', () => nowhere.resources.list('s', { limit: 1 })],
    ['limit of 1000', () => nowhere.resources.list('s', { limit: 1000 })],
    ['file_id of 128 characters', () => nowhere.resources.add('s', { file_id: 'f'.repeat(128) })],
    ['mount_path of 4096 characters', () => nowhere.resources.add('s', { file_id: 'f', mount_path: 'p'.repeat(4096) })],
    ['mount_path of null', () => nowhere.resources.add('s', { file_id: 'f', mount_path: null })],
    ['authorization_token of 4096 characters', () => nowhere.resources.rotate('s', 'r', 't'.repeat(4096))],
  ])('%s is sent', async (_, call) => {
    await expect(call()).rejects.toEqual(wasSent)
  })

  test('an identifier cannot lead to another path', async () => {
    const { recorded, url } = await startRecordingServer({ status: 404 })
    await createApi(connectionTo(url))
      .resources.get('a/../b', '?x#y')
      .catch(() => {})
    expect(recorded[0]?.path).toBe('/v1/sessions/a%2F..%2Fb/resources/%3Fx%23y')
  })
})

describe('what the API may add', () => {
  const base = { id: 'r', created_at: 't', updated_at: 't', mount_path: '/m' }

  test('unknown fields are kept', () => {
    const file = { type: 'file', ...base, file_id: 'f', later: { a: [1] } }
    const repository = {
      type: 'git_repository',
      ...base,
      url: 'u',
      checkout: { type: 'tag', name: 'v1', later: 1 },
      later: 2,
    }
    const store = { type: 'memory_store', memory_store_id: 1, access: ['a'], later: 3 }
    expect([file, repository, store].map(parseSessionResource)).toEqual([file, repository, store])
  })

  test.each([{ type: 'later_kind', anything: { at: 'all' } }, { type: 'constructor' }])(
    'the unknown kind $type is kept as it is',
    (later) => {
      expect(parseSessionResource(later)).toEqual(later)
    },
  )

  test('a resource of an unknown kind is distinguished from a known one', () => {
    expect([{ type: 'later_kind' }, { type: 'file' }].map(isKnownResource)).toEqual([false, true])
  })

  test.each(['git_repository', 'later_kind'])('the token of a %s is dropped if a server returns it', (type) => {
    const readable = { type, ...base, url: 'u', checkout: { type: 'branch', name: 'm' } }
    expect(parseSessionResource({ ...readable, authorization_token: 'canary' })).toEqual(readable)
  })

  test.each<[what: string, answer: unknown]>([
    ['a known kind lacks its fields', { data: [{ type: 'file' }], next_page: null }],
    ['next_page is missing', { data: [] }],
    ['data is missing', { next_page: null }],
    ['a list stands in place of the envelope', []],
    ['it is text', 'canary'],
  ])('an answer is refused without being repeated: %s', async (_, body) => {
    const { url } = await startRecordingServer({ body, headers: { 'request-id': 'req_1' } })
    await expect(createApi(connectionTo(url)).resources.list('s')).rejects.toEqual(
      new HelperError(
        'unavailable',
        'the answer does not have the form that the API documents (request req_1)',
        "check that the address is the API's, and not that of a web page or a proxy in front of it",
      ),
    )
  })
})

describe('iteration over next_page', () => {
  const pages: Record<string, { data: number[]; next_page: string | null }> = {
    '': { data: [1, 2], next_page: 'a' },
    a: { data: [], next_page: 'b' },
    b: { data: [3], next_page: null },
  }

  test('fetches a page only when it is needed, also after an empty one', async () => {
    const fetched: string[] = []
    const iterator = iteratePages(async ({ page = '' }) => {
      fetched.push(page)
      return pages[page]!
    })
    expect([(await iterator.next()).value, (await iterator.next()).value, fetched]).toEqual([1, 2, ['']])
    expect([await Array.fromAsync(iterator), fetched]).toEqual([[3], ['', 'a', 'b']])
  })

  test('ends at a cursor that repeats itself', async () => {
    const stuck = iteratePages(async () => ({ data: [1], next_page: 'same' }))
    expect(await Array.fromAsync(stuck)).toEqual([1, 1])
  })
})
