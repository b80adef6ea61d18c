import { expect, test } from 'vitest'
import type { ClientName } from '../../../src/contract/clients.ts'
import { clientNames, clients } from '../../../src/contract/clients.ts'
import { runHere } from '../run-here.ts'

/** Clients that run nothing after a 401, and ask so seldom that several turns are lost until then. */
const noRepetition: readonly ClientName[] = ['codex-mcp', 'hermes', 'pi', 'bazel', 'aws']

/** How many turns a simulated client loses where an administrator revokes every token in the middle of a session. */
async function countLost(client: ClientName): Promise<number> {
  const { status, stdout } = await runHere(['simulate', '--client', client, '--scenario', 'token-revoked', '--json'])
  if (status !== 0 && status !== 1) throw new Error(`${client}: status ${status}`)
  return JSON.parse(stdout).summary.lostTurns
}

test('a revocation costs each client one turn at most, unless nothing runs before it asks again by itself', async () => {
  const lost = await Promise.all(clientNames.map(async (name) => [name, await countLost(name)] as const))
  expect(lost.filter(([, count]) => count > 1).map(([name]) => name)).toEqual(
    clientNames.filter((name) => noRepetition.includes(name)),
  )
  for (const name of noRepetition) expect(clients[name].refresh.afterRefusal).toBe('nothing')
}, 60_000)
