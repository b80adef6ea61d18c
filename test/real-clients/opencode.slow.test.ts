import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findClient } from '../../pkg-scripts/clients/real-clients.ts'
import type { Stage } from './stage.ts'
import { testBehindRun } from './test-behind-run.ts'

/** Gives opencode one provider, which speaks the Messages API; its address and key come from `gatepass run`. */
async function configure({ home }: Stage): Promise<void> {
  const model = 'gateway/made-up'
  const provider = { gateway: { npm: '@ai-sdk/anthropic', models: { 'made-up': {} } } }
  const settings = { model, small_model: model, enabled_providers: ['gateway'], share: 'disabled', provider }
  await mkdir(join(home, '.config', 'opencode'), { recursive: true })
  await writeFile(join(home, '.config', 'opencode', 'opencode.json'), JSON.stringify(settings))
}

testBehindRun('opencode', {
  configure,
  flags: ['--client', 'opencode', '--provider', 'gateway'],
  command: [findClient('opencode')!, 'run', 'Say hello.'],
  // Files that it would fetch from the internet before it asks the model.
  env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
  // The first request of a session is for its title.
  requests: 2,
})
