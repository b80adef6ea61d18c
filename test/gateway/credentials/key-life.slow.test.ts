import { describe, expect, test } from 'vitest'
import { listWarnings } from '../../../src/contract/api-keys.ts'
import { changeKey, writeMaximumLife } from '../../../src/gateway/credentials/api-keys.ts'
import { createKey } from '../../../src/gateway/credentials/create-key.ts'
import { type KeyKind, keyKinds, parseExpiration } from '../../../src/gateway/credentials/key-life.ts'
import {
  addMember,
  createIdentity,
  removeIdentity,
  removeMember,
  restoreIdentity,
} from '../../../src/gateway/credentials/platform-identities.ts'
import { archiveWorkspace, createWorkspace } from '../../../src/gateway/store/workspaces.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { message, refusal, type Stage, stageStart, startStage } from '../stage.ts'

const createHint = 'see: gatepass gateway keys create --help'

const unauthenticated = '401 authentication_error: the credential is not accepted'

/** Starts a key of each kind, all for the team's workspace but the administrative one, with owners of its own. */
async function startWithKey(kind: KeyKind, expires = 'never') {
  const stage = await startStage()
  const { state, seed } = stage
  const team = seed.workspaces.team
  const isOwned = kind === 'personal' || kind === 'service_account'
  const ownerId = isOwned ? createIdentity(state, kind === 'personal' ? 'user' : 'service_account', 'Bo').id : undefined
  if (ownerId !== undefined) addMember(state, ownerId, team)
  const workspaceId = kind === 'administrative' ? undefined : team
  const made = createKey(state, { kind, name: 'k', ownerId, workspaceId, expiration: parseExpiration(expires) })
  const move = (trigger: 'disable' | 'enable' | 'delete') => changeKey(state, made.key.id, trigger)
  return { ...stage, id: made.key.id, ownerId: ownerId!, team, move, use: () => use(stage, kind, made.secret) }
}

/** `works`, or how the request is refused. */
async function use(stage: Stage, kind: KeyKind, as: Stage['seed']['attestationToken']) {
  const answer =
    kind === 'administrative'
      ? await stage.send('GET', '/v1/organizations/api_keys', { as })
      : await stage.send('POST', '/v1/messages', { as, body: message })
  return answer.status === 200 ? 'works' : refusal(answer)
}

/** Returns the result of an operation, or the message of its refusal. */
function outcomeOf<Value>(operate: () => Value): Value | string {
  try {
    return operate()
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

/** Returns the status with which the list shows a key. */
async function listed({ send, seed }: Stage, id: string): Promise<string | undefined> {
  const { body } = await send('GET', '/v1/organizations/api_keys', { as: seed.keys.administrative.secret })
  return body.data.find((key: { id: string }) => key.id === id)?.status
}

describe('States and transitions', () => {
  test.each(keyKinds)('Disable makes an active %s key inactive, which can be undone', async (kind) => {
    const stage = await startWithKey(kind)
    const before = await stage.use()
    const { status } = stage.move('disable')
    expect({ before, status, after: await stage.use(), listed: await listed(stage, stage.id) }).toEqual({
      before: 'works',
      status: 'inactive',
      after: unauthenticated,
      listed: 'inactive',
    })
  })

  test.each(keyKinds)('Re-enable makes an inactive %s key active', async (kind) => {
    const stage = await startWithKey(kind)
    stage.move('disable')
    expect([stage.move('enable').status, await stage.use()]).toEqual(['active', 'works'])
  })

  test.each([
    ['active', []],
    ['inactive', ['disable']],
  ] as const)('Delete archives a key that is %s, and it stays listed', async (_, before) => {
    const stage = await startWithKey('personal')
    for (const trigger of before) stage.move(trigger)
    const { status } = stage.move('delete')
    expect([status, await stage.use(), await listed(stage, stage.id)]).toEqual([
      'archived',
      unauthenticated,
      'archived',
    ])
  })

  test.each(['disable', 'enable', 'delete'] as const)('an archived key refuses to %s', async (trigger) => {
    const stage = await startWithKey('personal')
    stage.move('delete')
    expect(() => stage.move(trigger)).toThrow(
      new HelperError(
        'refused',
        `the key is archived: ${trigger} is not possible`,
        'create another; see: gatepass gateway keys create --help',
      ),
    )
  })

  test.each(keyKinds)('an active %s key expires at its time, and can then only be deleted', async (kind) => {
    const stage = await startWithKey(kind, '3h')
    stage.advance(3 * 3600 - 1)
    const before = await stage.use()
    stage.advance(1)
    const expired = { use: await stage.use(), listed: await listed(stage, stage.id) }
    const moves = (['disable', 'enable', 'delete'] as const).map((move) => outcomeOf(() => stage.move(move).status))
    expect({ before, expired, moves }).toEqual({
      before: 'works',
      expired: { use: unauthenticated, listed: 'active' },
      moves: ['the key is expired: disable is not possible', 'the key is expired: enable is not possible', 'archived'],
    })
  })

  test('an expired key cannot be reactivated, even if it was disabled before', async () => {
    const stage = await startWithKey('personal', '3h')
    stage.move('disable')
    stage.advance(3 * 3600)
    expect(() => stage.move('enable')).toThrow(
      new HelperError(
        'refused',
        'the key is expired: enable is not possible',
        'delete it and create another; see: gatepass gateway keys create --help',
      ),
    )
  })

  test('a personal key is archived when its owner is removed from the organization, and is not restored on re-invitation', async () => {
    const stage = await startWithKey('personal')
    removeIdentity(stage.state, stage.ownerId)
    expect([await stage.use(), await listed(stage, stage.id)]).toEqual([unauthenticated, 'archived'])
    restoreIdentity(stage.state, stage.ownerId)
    expect([await stage.use(), await listed(stage, stage.id)]).toEqual([unauthenticated, 'archived'])
  })

  test('a service account key stops working when its service account is archived', async () => {
    const stage = await startWithKey('service_account')
    removeIdentity(stage.state, stage.ownerId)
    expect([await stage.use(), await listed(stage, stage.id)]).toEqual([unauthenticated, 'active'])
    expect(() => restoreIdentity(stage.state, stage.ownerId)).toThrow(
      new HelperError(
        'refused',
        `${stage.ownerId} is a service account, and only a user can be restored`,
        'create another; see: gatepass gateway identities create --help',
      ),
    )
  })

  test('a single-workspace key stops working when its service account is removed from the workspace', async () => {
    const stage = await startWithKey('service_account')
    removeMember(stage.state, stage.ownerId, stage.team)
    expect([await stage.use(), await listed(stage, stage.id)]).toEqual([unauthenticated, 'active'])
  })

  test.each([
    ['expires', (stage: Awaited<ReturnType<typeof startWithKey>>) => stage.advance(3 * 3600)],
    ['is disabled', (stage) => stage.move('disable')],
    ['is deleted', (stage) => stage.move('delete')],
    ['loses its workspace', (stage) => archiveWorkspace(stage.state, stage.team)],
  ] satisfies [string, (stage: Awaited<ReturnType<typeof startWithKey>>) => unknown][])(
    'a legacy workspace key stops working when it %s',
    async (_, happen) => {
      const stage = await startWithKey('workspace', '3h')
      expect(await stage.use()).toBe('works')
      happen(stage)
      expect(await stage.use()).toBe(unauthenticated)
    },
  )

  test('a legacy workspace key stays valid when everybody else has left', async () => {
    const stage = await startWithKey('workspace')
    for (const id of Object.values(stage.seed.identities)) removeIdentity(stage.state, id)
    expect(await stage.use()).toBe('works')
  })
})

describe('API keys', () => {
  test.each([
    ['a personal key acts as the creating user, whose removal ends it', 'user', 'user'],
    ['a service account key acts as a service account, whose archiving ends it', 'serviceAccount', 'serviceAccount'],
    ['a legacy workspace key acts as no one, and belongs to its workspace', 'workspace', undefined],
  ] as const)('%s', async (_, key, owner) => {
    const { state, seed, send } = await startStage()
    const { keys, identities, workspaces } = seed
    const { id, secret: as } = keys[key === 'user' ? 'personal' : key]
    const record = (await send('GET', `/v1/organizations/api_keys/${id}`, { as: keys.administrative.secret })).body
    for (const identity of Object.values(identities)) if (identity !== record.owner_id) removeIdentity(state, identity)
    const headers = { 'vendor-workspace-id': workspaces.team }
    const ask = async () => (await send('POST', '/v1/messages', { as, headers, body: message })).status
    const before = await ask()
    if (owner !== undefined) removeIdentity(state, identities[owner])
    expect({ owner: record.owner_id, before, after: await ask() }).toEqual({
      owner: owner === undefined ? null : identities[owner],
      before: 200,
      after: owner === undefined ? 200 : 401,
    })
  })

  test.each([
    ['a personal key is valid in one workspace, chosen at creation', 'personal', [400, 200]],
    ['an unscoped personal key is valid in the workspaces where the user may use the API', 'unscoped', [200, 200]],
    ['a service account key is valid in everything that the service account can access', 'serviceAccount', [200, 200]],
    ['a legacy workspace key is valid in its workspace', 'workspace', [400, 200]],
  ] as const)('%s', async (_, key, expected) => {
    const { seed, send } = await startStage()
    const { default: byDefault, team } = seed.workspaces
    const ask = async (id: string) => {
      const headers = { 'vendor-workspace-id': id }
      return (await send('POST', '/v1/messages', { as: seed.keys[key].secret, headers, body: message })).status
    }
    expect([await ask(byDefault), await ask(team)]).toEqual(expected)
  })

  test('a personal key stops working when its user loses the organization', async () => {
    const stage = await startWithKey('personal')
    removeIdentity(stage.state, stage.ownerId)
    expect(await stage.use()).toBe(unauthenticated)
  })

  test('a personal key for one workspace stops working when its user loses that workspace', async () => {
    const stage = await startWithKey('personal')
    removeMember(stage.state, stage.ownerId, stage.team)
    expect(await stage.use()).toBe(unauthenticated)
  })

  test('personal and service account keys stop working in a workspace that is archived', async () => {
    for (const kind of ['personal', 'service_account'] as const) {
      const stage = await startWithKey(kind)
      archiveWorkspace(stage.state, stage.team)
      expect(await stage.use()).toBe(unauthenticated)
    }
  })

  test('a service account has the Default Workspace and the workspaces it was added to', async () => {
    const { send, seed } = await startStage()
    const ask = (id: string) =>
      send('POST', '/v1/messages', {
        as: seed.keys.serviceAccount.secret,
        headers: { 'vendor-workspace-id': id },
        body: message,
      })
    const answers = [await ask(seed.workspaces.default), await ask(seed.workspaces.team)]
    expect(answers.map(({ status, body }) => [status, body.type])).toEqual([
      [200, 'message'],
      [200, 'message'],
    ])
  })

  test.each<
    [what: string, plan: (stage: Stage) => Omit<Parameters<typeof createKey>[1], 'name' | 'expiration'>, why: string]
  >([
    ['a personal key of no one', () => ({ kind: 'personal' }), 'acts as a user'],
    [
      'a personal key of a service account',
      ({ seed }) => ({ kind: 'personal', ownerId: seed.identities.serviceAccount }),
      'acts as a user',
    ],
    [
      'a service account key of a user',
      ({ seed }) => ({ kind: 'service_account', ownerId: seed.identities.user }),
      'acts as a service account',
    ],
    ['a workspace key without workspace', () => ({ kind: 'workspace' }), 'is for one workspace'],
    [
      'a workspace key of somebody',
      ({ seed }) => ({ kind: 'workspace', ownerId: seed.identities.user, workspaceId: seed.workspaces.team }),
      'acts as no one',
    ],
    [
      'an administrative key for a workspace',
      ({ seed }) => ({ kind: 'administrative', workspaceId: seed.workspaces.team }),
      'is for no workspace',
    ],
  ])('%s cannot be created', async (_, plan, why) => {
    const stage = await startStage()
    const { kind, ...rest } = plan(stage)
    expect(() => createKey(stage.state, { kind, ...rest, name: 'k', expiration: 'never' })).toThrow(
      new HelperError('usage', `a key of type ${kind} ${why}`, createHint),
    )
  })

  test('no key can be created for an owner who is gone', async () => {
    const { state, seed } = await startStage()
    removeIdentity(state, seed.identities.user)
    const plan = { kind: 'personal', name: 'k', ownerId: seed.identities.user, expiration: 'never' } as const
    expect(() => createKey(state, plan)).toThrow(new HelperError('usage', 'the owner is gone', createHint))
  })

  test.each([
    ['workspace', 'none'],
    ['personal', 'user'],
    ['service_account', 'serviceAccount'],
  ] as const)('no %s key can be created for an archived workspace', async (kind, owner) => {
    const { state, seed } = await startStage()
    const workspaceId = seed.workspaces.team
    archiveWorkspace(state, workspaceId)
    const ownerId = owner === 'none' ? undefined : seed.identities[owner]
    expect(() => createKey(state, { kind, name: 'k', ownerId, workspaceId, expiration: 'never' })).toThrow(
      new HelperError(
        'refused',
        'the workspace "Team" is archived',
        'name another: gatepass gateway workspaces list --db FILE',
      ),
    )
  })

  test('no key can be created for a workspace that its owner cannot use', async () => {
    const { state, seed } = await startStage()
    const [ownerId, workspaceId] = [seed.identities.user, createWorkspace(state, 'Foreign').id]
    expect(() => createKey(state, { kind: 'personal', name: 'k', ownerId, workspaceId, expiration: 'never' })).toThrow(
      new HelperError(
        'usage',
        'the user or service account has no access to the workspace "Foreign"',
        `give it access: gatepass gateway workspaces add ${workspaceId} ${ownerId} --db FILE`,
      ),
    )
  })
})

describe('Key expiration', () => {
  test('rule 1: the expiry is chosen at creation, and never changes', async () => {
    const stage = await startWithKey('personal', '7d')
    const { state, seed, send, id } = stage
    const path = `/v1/organizations/api_keys/${id}`
    const as = seed.keys.administrative.secret
    const expiry = async () => (await send('GET', path, { as })).body.expires_at
    const chosen = await expiry()
    writeMaximumLife(state, 3600)
    const later = []
    for (const trigger of ['disable', 'enable', 'delete'] as const) {
      stage.move(trigger)
      later.push(await expiry())
    }
    const statuses = []
    for (const method of ['POST', 'PUT', 'PATCH'])
      statuses.push((await send(method, path, { as, body: { expires_at: null } })).status)
    expect({ later, statuses }).toEqual({ later: Array(3).fill(chosen), statuses: [405, 405, 405] })
  })

  const hourSec = 3600
  test.each([
    ['3h', 3 * hourSec],
    ['1d', 24 * hourSec],
    ['7d', 7 * 24 * hourSec],
    ['30d', 30 * 24 * hourSec],
    ['90m', 1.5 * hourSec],
    ['45d', 45 * 24 * hourSec],
    ['never', 'never'],
  ])('rule 2: %s can be chosen', (text, life) => {
    expect(parseExpiration(text)).toBe(life)
  })

  test.each(['', '0h', '-1d', '1.5h', '3 h', 'Never', '1w', '100000d'])('rule 2: %j is refused', (text) => {
    expect(() => parseExpiration(text)).toThrow(
      new HelperError(
        'usage',
        `"${text}" is not an expiration`,
        'write 3h, 1d, 7d, 30d, never, or a duration such as 90m, 36h or 45d',
      ),
    )
  })

  test('rule 3: a maximum limits new keys, excludes Never, and does not affect existing keys', async () => {
    const stage = await startWithKey('personal')
    const expiration = (life: string) =>
      outcomeOf(
        () =>
          createKey(stage.state, { kind: 'administrative', name: 'k', expiration: parseExpiration(life) }).key
            .expiresAt,
      )
    writeMaximumLife(stage.state, parseExpiration('7d'))
    const limited = ['never', '30d', '8d', '7d'].map(expiration)
    const existing = await stage.use()
    writeMaximumLife(stage.state, 'never')
    const refused = 'the organization allows keys of at most 604800 s'
    expect({ limited, existing, unlimited: expiration('never') }).toEqual({
      limited: [refused, refused, refused, stageStart + 7 * 86_400_000],
      existing: 'works',
      unlimited: null,
    })
  })

  test('rule 4: the same choice applies to administrative keys', async () => {
    const stage = await startWithKey('administrative', '1d')
    stage.advance(86_400)
    expect(await stage.use()).toBe(unauthenticated)
  })

  test.each([
    ['never', []],
    ['3h', []],
    ['1d', []],
    ['6d', []],
    ['7d', [6]],
    ['13d', [12]],
    ['14d', [7, 13]],
    ['30d', [23, 29]],
  ])('rule 5: for a life of %s the warnings come after %j days', (life, days) => {
    const expiration = parseExpiration(life)
    const end = expiration === 'never' ? null : expiration * 1000
    expect(listWarnings(0, end)).toEqual(days.map((day) => day * 86_400_000))
  })

  test('rule 6: after expiry, requests return 401 authentication_error', async () => {
    const stage = await startWithKey('personal', '1d')
    stage.advance(86_400)
    expect(await stage.use()).toBe(unauthenticated)
    expect(stage.records.at(-1)?.reason).toBe('the key is expired')
  })
})
