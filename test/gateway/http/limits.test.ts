import { describe, expect, test } from 'vitest'
import { requireLength } from '../../../src/api/check-request.ts'
import { attestationLifeSec, issueToken } from '../../../src/gateway/credentials/access-tokens.ts'
import { expirationPresets } from '../../../src/gateway/credentials/key-life.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { message, type Stage, startStage } from '../stage.ts'

/** Sends a request about the seeded session; the status of the answer. */
async function ask({ send, seed }: Stage, method: string, path: string, body?: unknown): Promise<number> {
  const as = seed.keys.personal.secret
  return (await send(method, `/v1/sessions/${seed.session}/resources${path}`, { as, body })).status
}

describe('Limits', () => {
  test('limit of List session resources is at most 1000', async () => {
    const stage = await startStage()
    expect([await ask(stage, 'GET', '?limit=1000'), await ask(stage, 'GET', '?limit=1001')]).toEqual([200, 400])
  })

  test('file_id has 1 to 128 characters', async () => {
    const stage = await startStage()
    const add = (length: number) => ask(stage, 'POST', '', { type: 'file', file_id: 'f'.repeat(length) })
    // Within the limits it is searched for, and not found.
    expect([await add(0), await add(1), await add(128), await add(129)]).toEqual([400, 404, 404, 400])
  })

  test('mount_path has 1 to 4096 characters', async () => {
    const stage = await startStage()
    const file_id = stage.seed.file
    const add = (length: number) => ask(stage, 'POST', '', { type: 'file', file_id, mount_path: 'p'.repeat(length) })
    expect([await add(0), await add(1), await add(4096), await add(4097)]).toEqual([400, 200, 200, 400])
  })

  test.each([
    ['POST', '', 'file_id', 128, 404],
    ['POST', '', 'mount_path', 4096, 200],
    ['POST', 'repository', 'authorization_token', 4096, 200],
  ] as const)('%s %s counts the length of %s in UTF-16 code units, as the client does', async (...row) => {
    const [method, resource, field, most, status] = row
    const stage = await startStage()
    const { seed } = stage
    const path = resource === '' ? '' : `/${seed.resources[resource]}`
    const rest = resource === '' ? { type: 'file', file_id: seed.file } : {}
    const send = (text: string) => ask(stage, method, path, { ...rest, [field]: text })
    const smiles = '🙂'.repeat(most / 2)
    expect([await send(smiles), await send(`${smiles}a`), requireLength(field, smiles)]).toEqual([status, 400, smiles])
    expect(() => requireLength(field, `${smiles}a`)).toThrow(
      new HelperError('usage', `${field} is ${most + 1} characters long`, `give it 1 to ${most} characters`),
    )
  })

  test('authorization_token has 1 to 4096 characters', async () => {
    const stage = await startStage()
    const path = `/${stage.seed.resources.repository}`
    const rotate = (length: number) => ask(stage, 'POST', path, { authorization_token: 't'.repeat(length) })
    expect([await rotate(0), await rotate(1), await rotate(4096), await rotate(4097)]).toEqual([400, 200, 200, 400])
  })

  test('a device attestation token lives 1 hour', async () => {
    const { state, seed, send, advance } = await startStage()
    const workspaceId = seed.workspaces.team
    const as = issueToken(state, { method: 'attestation', ownerId: null, workspaceId, lifeSec: attestationLifeSec })
    const use = () => send('POST', '/v1/messages', { as, body: message })
    advance(3599)
    const before = await use()
    advance(1)
    expect([before, await use()].map(({ status, body }) => [status, body.error?.type])).toEqual([
      [200, undefined],
      [401, 'authentication_error'],
    ])
  })

  test('the presets of key expiration are 3 hours, 1 day, 7 days and 30 days', () => {
    expect(Object.values(expirationPresets)).toEqual([3 * 3600, 86_400, 7 * 86_400, 30 * 86_400])
  })
})
