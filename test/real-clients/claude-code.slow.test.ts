import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findClient } from '../../pkg-scripts/clients/real-clients.ts'
import { ageEntries } from '../cache/start-run.ts'
import { modelSays } from '../stand-ins/model/inference-gateway.ts'
import { type Stage, startStage } from './stage.ts'

const agent = findClient('claude-code')!

/** Gives the agent what `gatepass config init` writes for it; the address is under the name that this agent reads. */
async function configure({ home, gateway, helper, gatepass }: Stage, ...more: string[]): Promise<void> {
  const words = ['config', 'init', '--client', 'api-key-helper', '--helper', helper.name, '--command', helper.command]
  const argv = [...helper.argv, ...more].map((arg) => `--arg=${arg}`)
  const { stdout } = await gatepass(...words, '--base-url', gateway.url, ...argv)
  await mkdir(join(home, '.claude'))
  await writeFile(join(home, '.claude', 'settings.json'), stdout)
}

/** One process with one question. */
async function runTurn({ run, gateway }: Stage) {
  const own = { ANTHROPIC_BASE_URL: gateway.url, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }
  const { status, stdout } = await run(agent, ['--model', 'made-up', '-p', 'Say hello.'], own)
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
