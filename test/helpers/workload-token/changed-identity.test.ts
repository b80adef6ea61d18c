import { expect, test } from 'vitest'
import helper from '../../../helpers/workload-token.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import { testHost } from '../../setup/test-host.ts'
import { failure, program, startWorkbench, type Workbench } from './workbench.ts'

/** Runs the helper over a file, with something done to the file after it was planned with and before it is exchanged. */
async function runWith(bench: Workbench, path: string, beforeMint: () => Promise<unknown>) {
  const host = await testHost({
    argv: [...bench.target, '--identity', 'file', '--identity-file', path],
    home: bench.home,
    clock: { now: Date.now, startedAt: Date.now(), elapsedMs: () => 0 },
  })
  const mint: typeof helper.mint = async (...call) => {
    await beforeMint()
    return helper.mint(...call)
  }
  const { status } = await runHelper(program, { ...helper, mint } as never, host) // as the outermost line hands it over
  return { status, ...host.written }
}

test('a file that came to hold another identity meanwhile is not exchanged', async () => {
  await using bench = await startWorkbench()
  const path = await bench.writeToken(await bench.provider.sign({ sub: 'first' }))
  const outcome = await runWith(bench, path, async () => bench.writeToken(await bench.provider.sign({ sub: 'second' })))
  expect({ outcome, exchanges: bench.exchanges() }).toEqual({
    outcome: failure(6, `the identity token in ${path} changed to another identity during this call`, 'try again'),
    exchanges: [],
  })
})

test('a file that was renewed meanwhile is exchanged with its new token', async () => {
  await using bench = await startWorkbench()
  const path = await bench.writeToken(await bench.provider.sign({ jti: 'old' }))
  const outcome = await runWith(bench, path, async () => bench.writeToken(await bench.provider.sign({ jti: 'new' })))
  expect({ status: outcome.status, stderr: outcome.stderr, exchanges: bench.exchanges() }).toEqual({
    status: 0,
    stderr: '',
    exchanges: ['200'],
  })
})
