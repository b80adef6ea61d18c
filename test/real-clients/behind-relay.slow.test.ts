import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findClient } from '../../pkg-scripts/clients/real-clients.ts'
import { bundlePath } from '../../pkg-scripts/tree.ts'
import { modelSays } from '../stand-ins/model/inference-gateway.ts'
import { type Stage, startStage } from './stage.ts'

const [opencode, gemini] = [findClient('opencode')!, findClient('gemini-cli')!]

/** Writes the document of the helper and the gateway, with a ttl for which a token that has just been minted is served again. */
async function writeDocument({ home, gateway, helper: { command, argv } }: Stage): Promise<string> {
  const credential = { kind: 'helper-script', command, args: [...argv, '--client-ttl', '300'], ttlSec: 300 }
  const path = join(home, 'config.json')
  const inference = { provider: 'gateway', baseUrl: gateway.url, credential }
  await writeFile(path, JSON.stringify({ $schemaVersion: 2, inference }))
  return path
}

/** One process of the client behind `gatepass run`, with one question. */
async function runBehindRelay({ run }: Stage, document: string, words: readonly string[], env = {}) {
  const argv = [bundlePath('gatepass'), 'run', '--document', document, '--yes', ...words]
  const { status, stdout } = await run(process.execPath, argv, env)
  return { status, answer: stdout }
}

/** The tokens that the gateway took, and those that it refused, each once. */
function listTokens({ gateway }: Stage) {
  const having = (status: number) => gateway.records.filter((record) => record.status === status)
  const [taken, refused] = [200, 401].map((status) => [...new Set(having(status).map(({ token }) => token))])
  return { taken, refused }
}

const answered = { status: 0, answer: `${modelSays}\n` }

test('opencode works behind a relay, and loses no turn when its token is revoked', async () => {
  const stage = await startStage()
  const document = await writeDocument(stage)
  await mkdir(join(stage.home, '.config', 'opencode'), { recursive: true })
  const provider = { gateway: { npm: '@ai-sdk/anthropic', models: { 'made-up': {} } } }
  const model = 'gateway/made-up'
  const settings = { model, small_model: model, enabled_providers: ['gateway'], share: 'disabled', provider }
  await writeFile(join(stage.home, '.config', 'opencode', 'opencode.json'), JSON.stringify(settings))
  const words = ['--provider', 'gateway', '--', opencode, 'run', 'Say hello.']
  const offline = { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' }
  expect(await runBehindRelay(stage, document, words, offline)).toEqual(answered)
  expect(listTokens(stage)).toEqual({ taken: ['made-up-access-token-1'], refused: [] })
  stage.gateway.revokeSeen()
  expect(await runBehindRelay(stage, document, words, offline)).toEqual(answered)
  expect(listTokens(stage)).toEqual({
    taken: ['made-up-access-token-1', 'made-up-access-token-2'],
    refused: ['made-up-access-token-1'],
  })
})

test('Gemini CLI works behind a relay, and loses no turn when its token is revoked', async () => {
  const stage = await startStage()
  const document = await writeDocument(stage)
  await mkdir(join(stage.home, '.gemini'), { recursive: true })
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
  }
  await writeFile(join(stage.home, '.gemini', 'settings.json'), JSON.stringify(settings))
  const program = [gemini, '--skip-trust', '-m', 'gemini-2.5-flash', '-p', 'Say hello.']
  const words = ['--client', 'gemini', '--', process.execPath, ...program]
  expect(await runBehindRelay(stage, document, words)).toEqual(answered)
  stage.gateway.revokeSeen()
  expect(await runBehindRelay(stage, document, words)).toEqual(answered)
  expect(listTokens(stage)).toEqual({
    taken: ['made-up-access-token-1', 'made-up-access-token-2'],
    refused: ['made-up-access-token-1'],
  })
})
