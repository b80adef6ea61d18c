import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findClient } from '../../pkg-scripts/clients/real-clients.ts'
import { modelSays } from '../stand-ins/model/inference-gateway.ts'
import { type Stage, startStage } from './stage.ts'

const gemini = findClient('gemini-cli')!

/** One process with one question. */
async function runTurn({ home, gateway, run }: Stage, key: string) {
  await mkdir(join(home, '.gemini'), { recursive: true })
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
  }
  await writeFile(join(home, '.gemini', 'settings.json'), JSON.stringify(settings))
  const argv = [gemini, '--skip-trust', '-m', 'gemini-2.5-flash', '-p', 'Say hello.']
  const env = { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: gateway.url }
  const { status, stdout } = await run(process.execPath, argv, env)
  return { status, answer: stdout }
}

test('Gemini CLI sends its key to a gateway, and reads streamed content', async () => {
  const stage = await startStage()
  const token = 'made-up-access-token-1'
  expect(await runTurn(stage, token)).toEqual({ status: 0, answer: `${modelSays}\n` })
  expect(stage.gateway.records).toEqual([{ token, status: 200 }])
})
