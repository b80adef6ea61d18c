import { defineHelper } from '../src/helper/define-helper.ts'
import { apiKeyCommands, apiKeyDiagnosis } from '../src/sources/api-key/api-key-declaration.ts'
import { apiKeyFacts, apiKeyOptions } from '../src/sources/api-key/api-key-options.ts'
import { planApiKey, validateKeyOptions } from '../src/sources/api-key/plan-api-key.ts'

export default defineHelper({
  summary: 'print a static key from the keychain, a file or the environment',
  options: apiKeyOptions,
  help: {
    options: ['key-name', 'key-file', 'key-variable', 'workspace', 'expires-at'],
    examples: ['store --key-name team', '--key-name team --format headers', '--key-file ~/key.txt --explain'],
  },
  facts: apiKeyFacts,
  validate: validateKeyOptions,
  plan: planApiKey,
  commands: apiKeyCommands,
  ...apiKeyDiagnosis,

  async mint(host, options, call, plan) {
    const { mintApiKey } = await import('../src/sources/api-key/mint-api-key.ts')
    return mintApiKey(host, options, call, plan)
  },
})
