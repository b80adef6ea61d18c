import { describe, expect, test } from 'vitest'
import { issueToken } from '../../../src/gateway/credentials/access-tokens.ts'
import { createKey } from '../../../src/gateway/credentials/create-key.ts'
import { removeMember } from '../../../src/gateway/credentials/platform-identities.ts'
import { archiveWorkspace, createWorkspace } from '../../../src/gateway/store/workspaces.ts'
import type { Secret } from '../../../src/runtime/secret.ts'
import { message, refusal, type Stage, startStage } from '../stage.ts'

const missing =
  '400 invalid_request_error: vendor-workspace-id is required: the credential is not scoped to a workspace'
const invalid = '400 invalid_request_error: vendor-workspace-id is not a valid workspace ID'
const differs = '400 invalid_request_error: vendor-workspace-id differs from the workspace that the credential is for'
const unknown = '404 not_found_error: there is no such workspace'

const ask = async ({ send }: Stage, as: Secret, workspace?: string) => {
  const answer = await send('POST', '/v1/messages', {
    as,
    headers: { 'vendor-workspace-id': workspace },
    body: message,
  })
  return answer.status === 200 ? 'works' : refusal(answer)
}

describe('Workspace selection', () => {
  test('rule 1: a key for one workspace is valid only there, and the header may be omitted', async () => {
    const stage = await startStage()
    const { seed } = stage
    const { secret } = seed.keys.personal
    expect([
      await ask(stage, secret),
      await ask(stage, secret, seed.workspaces.team),
      await ask(stage, secret, seed.workspaces.default),
      await ask(stage, secret, 'none'),
    ]).toEqual(['works', 'works', differs, invalid])
  })

  test('rule 1: a session of another workspace is not found', async () => {
    const { send, seed } = await startStage()
    const headers = { 'vendor-workspace-id': seed.workspaces.default }
    const answer = await send('GET', `/v1/sessions/${seed.session}/resources`, {
      as: seed.keys.unscoped.secret,
      headers,
    })
    expect(refusal(answer)).toBe('404 not_found_error: there is no such session')
  })

  test('rule 2: an unscoped key requires the header on every request', async () => {
    const stage = await startStage()
    const { seed, send } = stage
    const as = seed.keys.unscoped.secret
    const answers = [
      await send('POST', '/v1/messages', { as, body: message }),
      await send('GET', `/v1/sessions/${seed.session}/resources`, { as }),
      await send('GET', '/v1/organizations/workspaces', { as }),
    ]
    expect({ answers: answers.map(refusal), answer: await ask(stage, as, seed.workspaces.team) }).toEqual({
      answers: [missing, missing, missing],
      answer: 'works',
    })
  })

  test('rule 3: the administrative API accepts a personal or service account key only if it is not scoped', async () => {
    const { send, seed } = await startStage()
    const headers = { 'vendor-workspace-id': seed.workspaces.team }
    const { unscoped, serviceAccount, personal, workspace } = seed.keys
    const answers = [unscoped, serviceAccount, personal, workspace].map(({ secret: as }) =>
      send('GET', '/v1/organizations/api_keys', { as, headers }),
    )
    expect((await Promise.all(answers)).map(({ status, body }) => [status, body.error?.type])).toEqual([
      [200, undefined],
      [200, undefined],
      [403, 'permission_error'],
      [403, 'permission_error'],
    ])
  })

  test('rule 4: a federation token acts in the workspace of its exchange, and sends no header', async () => {
    const stage = await startStage()
    const { seed } = stage
    const plan = { method: 'federation', ownerId: seed.identities.serviceAccount, lifeSec: 600 } as const
    const token = issueToken(stage.state, { ...plan, workspaceId: seed.workspaces.team })
    expect([await ask(stage, token), await ask(stage, token, seed.workspaces.default)]).toEqual(['works', differs])
  })

  test('rule 5: the Default Workspace, and only it, is named in the answer', async () => {
    const { send, seed } = await startStage()
    const named = async (workspace: string) => {
      const headers = { 'vendor-workspace-id': workspace }
      const { headers: answered } = await send('POST', '/v1/messages', {
        as: seed.keys.unscoped.secret,
        headers,
        body: message,
      })
      return answered.get('vendor-workspace-id')
    }
    expect(await named(seed.workspaces.default)).toBe(seed.workspaces.default)
    expect(await named(seed.workspaces.team)).toBe(null)
  })

  test('rule 5: the Default Workspace is named also in the answer to a request that failed there', async () => {
    const { send, seed } = await startStage()
    const headers = { 'vendor-workspace-id': seed.workspaces.default }
    const answer = await send('POST', '/v1/messages', { as: seed.keys.unscoped.secret, headers, body: '{' })
    expect([answer.status, answer.headers.get('vendor-workspace-id')]).toEqual([400, seed.workspaces.default])
  })
})

describe('Errors', () => {
  test('400: an unscoped key needs vendor-workspace-id', async () => {
    const stage = await startStage()
    expect(await ask(stage, stage.seed.keys.unscoped.secret)).toBe(missing)
  })

  test.each([
    'none',
    'wrkspc_',
    'wrkspc_01',
    'user_01jf0odng0039t5qs9e4ftt8q4',
    `wrkspc_${'z'.repeat(26)}`,
    '../wrkspc',
  ])('400: vendor-workspace-id %j is not a valid workspace ID', async (value) => {
    const stage = await startStage()
    expect(await ask(stage, stage.seed.keys.unscoped.secret, value)).toBe(invalid)
  })

  test('404: a workspace that does not exist, and one without access for the owner, get the same answer', async () => {
    const stage = await startStage()
    const { seed, state } = stage
    const foreign = createWorkspace(state, 'Foreign').id
    const left = seed.workspaces.team
    removeMember(state, seed.identities.user, left)
    removeMember(state, seed.identities.serviceAccount, left)
    const answers = []
    for (const { secret } of [seed.keys.unscoped, seed.keys.serviceAccount])
      for (const id of [`wrkspc_${'0'.repeat(26)}`, foreign, left]) answers.push(await ask(stage, secret, id))
    expect({ answers, reasons: stage.records.map(({ reason }) => reason) }).toEqual({
      answers: Array(6).fill(unknown),
      reasons: Array(2).fill(['unknown workspace', 'no access', 'no access']).flat(),
    })
  })

  test('404: an archived workspace is answered like one that does not exist', async () => {
    const stage = await startStage()
    archiveWorkspace(stage.state, stage.seed.workspaces.team)
    expect(await ask(stage, stage.seed.keys.unscoped.secret, stage.seed.workspaces.team)).toBe(unknown)
    expect(stage.records.map(({ reason }) => reason)).toEqual(['archived workspace'])
  })

  test('401: the key is expired', async () => {
    const stage = await startStage()
    const plan = { kind: 'workspace', name: 'k', workspaceId: stage.seed.workspaces.team, expiration: 60 } as const
    const { secret } = createKey(stage.state, plan)
    stage.advance(60)
    expect(await ask(stage, secret)).toBe('401 authentication_error: the credential is not accepted')
  })
})
