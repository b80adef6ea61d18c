import { interceptionHint } from '../aws/sdk/interception-hint.ts'
import type { FindIdentity } from './identity-source.ts'
import { requireOption } from './require-option.ts'

/** A token that AWS STS signs for the identity of an AWS profile. */
export const findAws: FindIdentity = async (host, options, call) => {
  const audience = requireOption(options, 'audience', 'name the audience of the identity token', call)
  const { planAwsCredentials } = await import('../aws/credentials/plan.ts')
  const plan = await planAwsCredentials(host, options)
  return {
    token: `the identity token from AWS STS in ${plan.region}`,
    step: `the identity token from AWS STS in ${plan.region}, for ${plan.steps.join('; ')}`,
    inputs: plan.inputs,
    audience,
    renewalHint: interceptionHint,
    audienceHint: 'correct audience',
    obtain: async (mint) => {
      const { fetchWebIdentity } = await import('../aws/web-identity-token.ts')
      return fetchWebIdentity(audience, { host, call: mint, plan, path: options.path })
    },
  }
}
