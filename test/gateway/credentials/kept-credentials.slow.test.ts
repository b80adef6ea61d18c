import { describe, expect, test, vi } from 'vitest'
import { issueToken, revokeTokens } from '../../../src/gateway/credentials/access-tokens.ts'
import { changeKey } from '../../../src/gateway/credentials/api-keys.ts'
import { createKey } from '../../../src/gateway/credentials/create-key.ts'
import { addMember, removeIdentity, removeMember } from '../../../src/gateway/credentials/platform-identities.ts'
import { addResource } from '../../../src/gateway/store/resources.ts'
import { archiveWorkspace } from '../../../src/gateway/store/workspaces.ts'
import type { Secret } from '../../../src/runtime/secret.ts'
import { message, type Stage, startStage } from '../stage.ts'

const makers = {
  'personal key': ({ seed }: Stage) => seed.keys.personal.secret,
  'unscoped key': ({ seed }: Stage) => seed.keys.unscoped.secret,
  'service account key': ({ seed }: Stage) => seed.keys.serviceAccount.secret,
  'workspace key': ({ seed }: Stage) => seed.keys.workspace.secret,
  'key for a minute': ({ state, seed }: Stage) =>
    createKey(state, { kind: 'workspace', name: 'k', workspaceId: seed.workspaces.team, expiration: 60 }).secret,
  'attestation token': ({ seed }: Stage) => seed.attestationToken,
  'federation token': ({ state, seed }: Stage) => {
    const plan = { method: 'federation', ownerId: seed.identities.serviceAccount, lifeSec: 60 } as const
    return issueToken(state, { ...plan, workspaceId: seed.workspaces.team })
  },
}

/** Starts a stage on which a credential has been used twice in the team's workspace, so that it is kept. */
async function startWith(which: keyof typeof makers) {
  const stage = await startStage()
  const as: Secret = makers[which](stage)
  const use = async () => {
    const headers = { 'vendor-workspace-id': stage.seed.workspaces.team }
    return (await stage.send('POST', '/v1/messages', { as, headers, body: message })).status
  }
  return { ...stage, use, before: [await use(), await use()] }
}

describe('a gateway that keeps credentials', () => {
  test.each(Object.keys(makers) as (keyof typeof makers)[])('does not read the state again for a %s', async (which) => {
    const { use, before, state } = await startWith(which)
    const spy = vi.spyOn(state.sql, 'get')
    expect([...before, await use(), spy.mock.calls]).toEqual([200, 200, 200, []])
  })

  test.each<[which: keyof typeof makers, what: string, change: (stage: Stage) => void, status: number]>([
    ['personal key', 'is disabled', ({ state, seed }) => changeKey(state, seed.keys.personal.id, 'disable'), 401],
    ['personal key', 'is deleted', ({ state, seed }) => changeKey(state, seed.keys.personal.id, 'delete'), 401],
    ['personal key', 'loses its owner', ({ state, seed }) => removeIdentity(state, seed.identities.user), 401],
    ['workspace key', 'loses its workspace', ({ state, seed }) => archiveWorkspace(state, seed.workspaces.team), 401],
    [
      'unscoped key',
      'may no longer use the workspace',
      ({ state, seed }) => removeMember(state, seed.identities.user, seed.workspaces.team),
      404,
    ],
    [
      'unscoped key',
      'names a workspace that is archived',
      ({ state, seed }) => archiveWorkspace(state, seed.workspaces.team),
      404,
    ],
    ['key for a minute', 'expires', ({ advance }) => advance(60), 401],
    ['federation token', 'expires', ({ advance }) => advance(60), 401],
    ['federation token', 'is revoked', ({ state }) => revokeTokens(state), 401],
    ['attestation token', 'expires', ({ advance }) => advance(3600), 401],
    ['attestation token', 'is revoked', ({ state }) => revokeTokens(state), 401],
  ])('follows at once that a %s %s', async (which, _, change, status) => {
    const stage = await startWith(which)
    change(stage)
    expect([...stage.before, await stage.use(), await stage.use()]).toEqual([200, 200, status, status])
  })

  test('refuses a workspace that is named "undefined"', async () => {
    const { seed, send } = await startStage()
    const ask = async (headers: Record<string, string>) =>
      (await send('POST', '/v1/messages', { as: seed.keys.workspace.secret, headers, body: message })).status
    expect([await ask({}), await ask({ 'vendor-workspace-id': 'undefined' })]).toEqual([200, 400])
  })

  test('gives access at once after a refusal', async () => {
    const { state, seed, use } = await startWith('unscoped key')
    removeMember(state, seed.identities.user, seed.workspaces.team)
    const refused = await use()
    addMember(state, seed.identities.user, seed.workspaces.team)
    expect([refused, await use()]).toEqual([404, 200])
  })
})

describe('a gateway that keeps pages of lists', () => {
  test.each([
    ['the resources of a session', ({ seed }: Stage) => `/v1/sessions/${seed.session}/resources?limit=2`, 'personal'],
    ['keys', () => '/v1/organizations/api_keys', 'administrative'],
    ['workspaces', () => '/v1/organizations/workspaces', 'administrative'],
  ] as const)('does not read the state again for %s', async (_, path, key) => {
    const stage = await startStage()
    const ask = async () => (await stage.send('GET', path(stage), { as: stage.seed.keys[key].secret })).body
    const first = await ask()
    const spies = [vi.spyOn(stage.state.sql, 'get'), vi.spyOn(stage.state.sql, 'all')]
    expect([await ask(), spies.flatMap(({ mock }) => mock.calls)]).toEqual([first, []])
  })

  test('shows an added resource, a rotated token and a disabled key at once', async () => {
    const { state, seed, send, advance } = await startStage()
    const path = `/v1/sessions/${seed.session}/resources`
    const list = async () => (await send('GET', path, { as: seed.keys.personal.secret })).body.data
    const before = await list()
    const added = addResource(state, seed.session, { type: 'file', file_id: seed.file, mount_path: '/a' })
    const after = await list()
    advance(1)
    const body = { authorization_token: 'new' }
    const rotated = await send('POST', `${path}/${seed.resources.repository}`, { as: seed.keys.personal.secret, body })
    const [, second] = await list()
    const readStatus = async () =>
      (await send('GET', '/v1/organizations/api_keys', { as: seed.keys.administrative.secret })).body.data[0].status
    const statuses = [await readStatus()]
    changeKey(state, seed.keys.personal.id, 'disable')
    statuses.push(await readStatus())
    expect({ after, second, statuses }).toEqual({
      after: [...before, JSON.parse(added.json)],
      second: rotated.body,
      statuses: ['active', 'inactive'],
    })
  })

  test('shows a session in its own workspace only', async () => {
    const { state, seed, send } = await startStage()
    addMember(state, seed.identities.user, seed.workspaces.default)
    const ask = async (workspace: string) => {
      const options = { as: seed.keys.unscoped.secret, headers: { 'vendor-workspace-id': workspace } }
      return (await send('GET', `/v1/sessions/${seed.session}/resources`, options)).status
    }
    const { team, default: other } = seed.workspaces
    expect([await ask(team), await ask(other), await ask(team)]).toEqual([200, 404, 200])
  })
})
