import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findClient } from '../../pkg-scripts/clients/real-clients.ts'
import type { Stage } from './stage.ts'
import { testBehindRun } from './test-behind-run.ts'

/** Has Gemini CLI use a key, and send nothing about its use. */
async function configure({ home }: Stage): Promise<void> {
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
  }
  await mkdir(join(home, '.gemini'))
  await writeFile(join(home, '.gemini', 'settings.json'), JSON.stringify(settings))
}

testBehindRun('Gemini CLI', {
  configure,
  flags: ['--client', 'gemini'],
  command: [process.execPath, findClient('gemini-cli')!, '--skip-trust', '-m', 'made-up', '-p', 'Say hello.'],
  env: {},
  requests: 1,
})
