import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findClient } from '../../pkg-scripts/clients/real-clients.ts'
import { ageEntries } from '../cache/start-run.ts'
import { modelSays } from '../stand-ins/model/inference-gateway.ts'
import { type Stage, startStage } from './stage.ts'

const copilot = findClient('copilot')!

/** Writes the variables that `gatepass config init` gives for it. */
async function configure({ home, gateway, helper, gatepass }: Stage, ...more: string[]): Promise<void> {
  const words = ['config', 'init', '--client', 'copilot', '--helper', helper.name, '--command', helper.command]
  const argv = [...helper.argv, ...more].map((arg) => `--arg=${arg}`)
  const { stdout } = await gatepass(...words, '--base-url', gateway.url, ...argv)
  await writeFile(join(home, 'variables'), stdout)
}

/** One process with one question, in a shell with these variables. */
async function runTurn({ home, run }: Stage) {
  const own = { COPILOT_PROVIDER_TYPE: 'anthropic', COPILOT_MODEL: 'made-up' }
  const argv = ['-c', '. "$0" && exec "$@"', join(home, 'variables'), copilot, '-p', 'Say hello.', '-s']
  const { status, stdout } = await run('/bin/sh', argv, own)
  return { status, answer: stdout.trim() }
}

const answered = { status: 0, answer: modelSays }

/** What the gateway said to each token, in order, each once. */
const listVerdicts = ({ gateway }: Stage) => [
  ...new Set(gateway.records.map(({ token, status }) => `${token}: ${status}`)),
]

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
