import { Agent } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { ask, startIssuerWithPolicy, startVerifierProcess } from './verifier-process.ts'

test('the space for new objects does not grow with the number of tokens', async () => {
  const { policy, issuer } = await startIssuerWithPolicy()
  const verifier = await startVerifierProcess(
    ...['--policy', policy, '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0'],
  )
  const { listen, admin } = verifier.addresses
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  onTestFinished(() => agent.destroy())
  const send = async (_: unknown, at: number) => {
    const answer = await ask(listen, await issuer.sign({ sub: `person-${at}`, aud: 'models', team: 'red' }), agent)
    return 'status' in answer ? answer.status : answer.code
  }
  const statuses = new Set<number | string>()
  for (let round = 0; round < 60; round += 1)
    for (const status of await Promise.all(Array.from({ length: 100 }, send))) statuses.add(status)
  const metrics = await (await fetch(`${admin}/metrics`)).text()
  const bytes = Number(/^nodejs_heap_space_size_total_bytes\{space="new"\} (\d+)$/m.exec(metrics)?.[1])
  expect({ statuses: [...statuses], isSmall: bytes <= 16 * 2 ** 20 }).toEqual({ statuses: [200], isSmall: true })
}, 120_000)
