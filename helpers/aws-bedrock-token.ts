import { defineHelper } from '../src/helper/define-helper.ts'
import { awsFacts, awsOptions, longestBedrockLifeSec } from '../src/sources/aws/credentials/options.ts'
import { planAwsCredentials } from '../src/sources/aws/credentials/plan.ts'
import { locateAwsFiles } from '../src/sources/aws/credentials/shared-files.ts'

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
  longestLifeSec: longestBedrockLifeSec,
  reads: locateAwsFiles,
  plan: planAwsCredentials,

  async mint(host, options, call, plan) {
    // Loaded here, so that a call that is served from the cache does not wait for it.
    const [{ resolveAwsCredentials }, { signBedrockToken }] = await Promise.all([
      import('../src/sources/aws/credentials/credentials.ts'),
      import('../src/sources/aws/bedrock-token.ts'),
    ])
    const credentials = await resolveAwsCredentials({ host, call, plan, path: options.path })
    const lifetimeSec = options.lifetime ?? Math.max(60, Math.min(2 * options['client-ttl'], longestBedrockLifeSec))
    return signBedrockToken(credentials, plan, { lifetimeSec, now: host.clock.now() })
  },
})
