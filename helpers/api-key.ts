import { defineHelper } from '../src/helper/define-helper.ts'
import { apiKeyCommands } from '../src/sources/api-key/commands/commands.ts'
import { apiKeyDiagnosis } from '../src/sources/api-key/diagnosis.ts'
import { apiKeyFacts, apiKeyOptions } from '../src/sources/api-key/key/options.ts'
import { planApiKey } from '../src/sources/api-key/key/plan.ts'

export default defineHelper({
  summary: 'print a static key from the keychain, a file or the environment',
  options: apiKeyOptions,
  facts: apiKeyFacts,
  plan: planApiKey,
  commands: apiKeyCommands,
  ...apiKeyDiagnosis,

  async mint(host, options, call, plan) {
    const { mintApiKey } = await import('../src/sources/api-key/mint.ts')
    return mintApiKey(host, options, call, plan)
  },
})
