import type { FindIdentity } from './identity-source.ts'
import { demandOption } from './required.ts'

/** A token that AWS STS signs for the identity of an AWS profile. */
export const findAws: FindIdentity = async (host, options) => {
  const audience = demandOption(options, 'audience', 'say for whom the identity token shall be')
  const { planAwsCredentials } = await import('../aws/credentials/plan.ts')
  const plan = await planAwsCredentials(host, options)
  return {
    token: `the identity token from AWS STS in ${plan.region}`,
    step: `the identity token from AWS STS in ${plan.region}, for ${plan.steps.join('; ')}`,
    inputs: plan.inputs,
    audience,
    renewal: 'check what stands between here and AWS',
    audienceWay: 'correct audience',
    obtain: async (call) => {
      const { fetchWebIdentity } = await import('../aws/web-identity-token.ts')
      return fetchWebIdentity(audience, { host, call, plan, path: options.path })
    },
  }
}
