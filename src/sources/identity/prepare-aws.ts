import type { AwsContext } from '../aws/credentials/credential-source.ts'
import { interceptionHint } from '../aws/request/foreign-answer.ts'
import { identityLife, type WebIdentityRequest } from './aws-web-identity.ts'
import { type IdentitySource, type PrepareIdentity, requireAudience } from './identity-source.ts'

/** Prepares a token that AWS STS signs for the identity of an AWS profile. */
export const prepareAws: PrepareIdentity = async (host, options, call) => {
  const audience = requireAudience(options, call)
  const { planAwsCredentials } = await import('../aws/credentials/plan-credentials.ts')
  const plan = await planAwsCredentials(host, options)
  const request = { audiences: [audience], algorithm: 'ES384', lifeSec: identityLife.exchangeSec, tags: [] } as const
  return createAwsSource(request, { host, plan, path: options.path })
}

/** Names a token of AWS STS in messages. */
export function nameAwsToken(region: string): string {
  return `the identity token from AWS STS in ${region}`
}

/** Creates a source from AWS STS. All its tokens have the same request. */
export function createAwsSource(request: WebIdentityRequest, setup: Omit<AwsContext, 'call'>): IdentitySource {
  const { plan } = setup
  const token = nameAwsToken(plan.region)
  return {
    token,
    detail: `, for ${plan.steps.join('; ')}`,
    inputs: plan.inputs,
    aws: plan,
    audience: request.audiences[0],
    renewalHint: interceptionHint,
    obtain: async (call) => {
      const { fetchWebIdentity } = await import('./fetch-aws-web-identity.ts')
      // AWS need not be asked about the caller, because no fact of a workload depends on that.
      return (await fetchWebIdentity(request, { ...setup, call: { ...call, wantedFacts: new Set() } })).token
    },
  }
}
