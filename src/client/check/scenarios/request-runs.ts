import type { Observation, ScenarioSetup } from './scenario.ts'
import { createBackgroundRequest, runAll, type UnlimitedRequest } from './scenario-runs.ts'

/** A name that no server can have (RFC 2606, section 2). */
const otherServer = 'https://another-server.invalid'

/** Asks for another server, as a client does whose configuration does not tie the helper to one. */
export function runForOtherServers(setup: ScenarioSetup): Promise<Observation> {
  return runAll(setup, [{ ...createBackgroundRequest(`asked for ${otherServer}`), server: otherServer }])
}

/** Tells the helper to store what the server took, and something that a later client may say. */
export function runOtherOperations(setup: ScenarioSetup): Promise<Observation> {
  const operations = ['store', 'an-operation-of-next-year']
  return runInOrder(
    setup,
    operations.map((operation) => ({ ...createBackgroundRequest(`with the operation ${operation}`), operation })),
  )
}

/** Tells the helper that its last credential was refused, and asks again. */
export function runAfterErase(setup: ScenarioSetup): Promise<Observation> {
  return runInOrder(setup, [
    createBackgroundRequest('before an erase'),
    { ...createBackgroundRequest('with the operation erase'), operation: 'erase' },
    createBackgroundRequest('after an erase'),
  ])
}

async function runInOrder(setup: ScenarioSetup, requests: readonly UnlimitedRequest[]): Promise<Observation> {
  const { runner, limits } = setup
  const runs = []
  for (const request of requests) runs.push(await runner.run({ ...request, limitMs: limits.timeoutMs }))
  return { runs }
}
