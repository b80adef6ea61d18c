import { defineHelper } from '../src/helper/define-helper.ts'
import { commandFacts, commandOptions } from '../src/sources/command/command-options.ts'
import { explainCommand, planCommand, validateCommandOptions } from '../src/sources/command/plan-command.ts'

export default defineHelper({
  summary: 'print the token that a program gives, whatever shape it has',
  options: commandOptions,
  help: {
    options: ['command', 'output', 'token-pointer', 'expiry-pointer', 'life', 'sign-in-command'],
    examples: [
      '--command gcloud --command auth --command print-identity-token',
      '--command /opt/tools/get-token --life 900 --explain',
    ],
  },
  facts: commandFacts,
  // A program may keep its token, and print it again shortly before it expires.
  suggestedTtlSec: 240,
  validate: validateCommandOptions,
  plan: planCommand,
  explain: explainCommand,

  async diagnose(host, _options, call, { plan }) {
    if (!plan) return {}
    const { diagnoseCommand } = await import('../src/sources/command/diagnose-command.ts')
    return { identity: await diagnoseCommand(host, call, plan) }
  },

  async mint(host, _options, call, plan) {
    const { mintFromCommand } = await import('../src/sources/command/mint-command-token.ts')
    return mintFromCommand(host, call, plan, awsKeysHint)
  },
})

const awsKeysHint =
  'make this program the credential_process of an AWS profile, and use the helper aws-bedrock-token with that profile'
