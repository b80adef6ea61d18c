import { defineHelper } from '../src/helper/define-helper.ts'
import { longestBedrockLifeSec, signBedrockToken } from '../src/sources/aws/bedrock-token.ts'
import { resolveAwsCredentials } from '../src/sources/aws/credentials.ts'
import { awsFacts, awsOptions } from '../src/sources/aws/options.ts'
import { planAwsCredentials } from '../src/sources/aws/plan.ts'

export default defineHelper({
  summary: 'print a short-term Bedrock API key for an AWS profile',
  options: {
    ...awsOptions,
    lifetime: {
      value: 'seconds',
      min: 60,
      max: longestBedrockLifeSec,
      summary: 'longest life to ask for (default: twice client-ttl)',
    },
  },
  facts: awsFacts,
  plan: planAwsCredentials,

  async mint(host, options, call, plan) {
    const credentials = await resolveAwsCredentials({ host, call, plan, path: options.path })
    const lifetimeSec = options.lifetime ?? Math.min(2 * options['client-ttl'], longestBedrockLifeSec)
    return signBedrockToken(credentials, plan, { lifetimeSec, now: host.clock.now() })
  },
})
