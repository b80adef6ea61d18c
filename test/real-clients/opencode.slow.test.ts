import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findClient } from '../../pkg-scripts/clients/real-clients.ts'
import { modelSays } from '../stand-ins/model/inference-gateway.ts'
import { type Stage, startStage } from './stage.ts'

const opencode = findClient('opencode')!

/** What it would fetch from the internet before it asks the model. */
const offline = { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }

/** Gives opencode one provider, which speaks the Messages API. */
async function configure({ home, gateway }: Stage, apiKey: string): Promise<void> {
  const options = { baseURL: `${gateway.url}/v1`, apiKey }
  const provider = { gateway: { npm: '@ai-sdk/anthropic', options, models: { 'made-up': {} } } }
  await mkdir(join(home, '.config', 'opencode'), { recursive: true })
  const model = 'gateway/made-up'
  const settings = { model, small_model: model, enabled_providers: ['gateway'], share: 'disabled', provider }
  await writeFile(join(home, '.config', 'opencode', 'opencode.json'), JSON.stringify(settings))
}

/** One process with one question; before it asks it, it asks for a title of the session. */
async function runTurn({ run }: Stage) {
  const { status, stdout } = await run(opencode, ['run', 'Say hello.'], offline)
  return { status, answer: stdout }
}

test('opencode sends its key to a gateway, and reads a streamed message', async () => {
  const stage = await startStage()
  await configure(stage, 'made-up-access-token-1')
  expect(await runTurn(stage)).toEqual({ status: 0, answer: `${modelSays}\n` })
  const sent = { token: 'made-up-access-token-1', status: 200 }
  expect(stage.gateway.records).toEqual([sent, sent])
})
