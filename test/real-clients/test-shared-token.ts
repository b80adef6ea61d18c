import { expect, test } from 'vitest'
import { ageEntries } from '../cache/start-run.ts'
import { modelSays } from '../stand-ins/model/inference-gateway.ts'
import { type Stage, startStage } from './stage.ts'

/** A client that runs a command for its token, and runs it again after a 401 without saying why. */
interface CommandClient {
  /** Writes what `gatepass config init` gives for it; the words behind are more arguments of the helper. */
  configure(stage: Stage, ...more: string[]): Promise<void>
  /** Runs one process with one question. */
  runTurn(stage: Stage): Promise<{ readonly status: number | string; readonly answer: string }>
}

/** Has such a client do whole turns, before and after its token is revoked. */
export function testSharedToken({ configure, runTurn }: CommandClient): void {
  test('a second process has the token of the first', async () => {
    const stage = await startStage()
    await configure(stage)
    expect([await runTurn(stage), await runTurn(stage)]).toEqual([answered, answered])
    expect({ verdicts: listVerdicts(stage), mints: stage.source.mints() }).toEqual({
      verdicts: ['made-up-access-token-1: 200'],
      mints: 1,
    })
  })

  test('with --suspect-after 2, a token that was revoked costs no turn', async () => {
    const stage = await startStage()
    await configure(stage, '--suspect-after=2')
    expect(await runTurn(stage)).toEqual(answered)
    // A token of the last minute would be served again.
    await ageEntries(stage, 120_000)
    stage.gateway.revokeSeen()
    expect(await runTurn(stage)).toEqual(answered)
    expect({ verdicts: listVerdicts(stage), mints: stage.source.mints() }).toEqual({
      verdicts: ['made-up-access-token-1: 200', 'made-up-access-token-1: 401', 'made-up-access-token-2: 200'],
      mints: 2,
    })
  })
}

const answered = { status: 0, answer: modelSays }

/** Lists what the gateway said to each token, in order, each once. */
const listVerdicts = ({ gateway }: Stage) => [
  ...new Set(gateway.records.map(({ token, status }) => `${token}: ${status}`)),
]
