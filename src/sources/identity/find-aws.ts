import type { AwsContext } from '../aws/credentials/aws-credentials.ts'
import { interceptionHint } from '../aws/sdk/interception-hint.ts'
import { identityLife, type WebIdentityRequest } from '../aws/web-identity/web-identity.ts'
import type { FindIdentity, IdentitySource } from './identity-source.ts'
import { requireOption } from './require-option.ts'

/** A token that AWS STS signs for the identity of an AWS profile. */
export const findAws: FindIdentity = async (host, options, call) => {
  const audience = requireOption(options, 'audience', 'name the audience of the identity token', call)
  const { planAwsCredentials } = await import('../aws/credentials/plan.ts')
  const plan = await planAwsCredentials(host, options)
  const request = { audiences: [audience], algorithm: 'ES384', lifeSec: identityLife.exchangeSec, tags: [] } as const
  return createAwsSource(request, { host, plan, path: options.path })
}

/** AWS STS as a source of identity tokens that are all alike. */
export function createAwsSource(request: WebIdentityRequest, world: Omit<AwsContext, 'call'>): IdentitySource {
  const { plan } = world
  return {
    token: `the identity token from AWS STS in ${plan.region}`,
    step: `the identity token from AWS STS in ${plan.region}, for ${plan.steps.join('; ')}`,
    inputs: plan.inputs,
    aws: plan,
    audience: request.audiences[0],
    renewalHint: interceptionHint,
    audienceHint: 'correct audience',
    obtain: async (call) => {
      const { fetchWebIdentity } = await import('../aws/web-identity/fetch-web-identity.ts')
      // What AWS could say besides is no fact of a workload.
      return (await fetchWebIdentity(request, { ...world, call: { ...call, wantedFacts: new Set() } })).token
    },
  }
}
