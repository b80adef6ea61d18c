import { HelperError } from '../../../runtime/failure.ts'
import { describeRenewal } from '../credentials/hints.ts'
import type { AwsPlan } from '../credentials/plan.ts'
import { AwsError, toErrorCode } from '../request/aws-error.ts'
import { describeApi } from '../request/aws-operation.ts'
import { describeDenial } from '../request/describe-denial.ts'
import { toFailure } from '../sdk/failures.ts'
import type { WebIdentityRequest } from './web-identity.ts'

/** What a refusal means, and what to do about it, imperative. */
type Explanation = readonly [meaning: string, hint: string]

/** Error codes of `GetWebIdentityToken` without `Exception`. AWS's documentation of that operation. */
const knownErrors: Readonly<Record<string, Explanation>> = {
  OutboundWebIdentityFederationDisabled: [
    'the account does not issue identity tokens',
    'have an administrator of the account run once: aws iam enable-outbound-web-identity-federation',
  ],
  SessionDurationEscalation: [
    'the credentials expire before the identity token would',
    'sign in again, or wait until the credentials are renewed',
  ],
  ValidationError: [
    'AWS does not accept an audience, a tag or the life that was asked for',
    'correct the settings audience, tag and lifetime',
  ],
  InvalidAction: [
    'AWS STS does not issue identity tokens in this region',
    'set another region, or correct the endpoint that is set for STS',
  ],
}

/** An error of `GetWebIdentityToken` as a failure of ours. */
export function toIdentityFailure(error: unknown, request: WebIdentityRequest, plan: AwsPlan): HelperError {
  const refusal = 'AWS STS gave no identity token'
  const known = error instanceof AwsError ? explain(error, request) : undefined
  if (known) {
    const [meaning, hint] = known
    return new HelperError('refused', `${refusal}: ${(error as AwsError).name}: ${meaning}`, hint, { cause: error })
  }
  const proof = { name: 'the credentials', renewalHint: describeRenewal(plan.source, plan.files) }
  const hint = 'look the code up in the documentation of GetWebIdentityToken'
  return toFailure(error, { service: describeApi('sts', plan), refusal, hint, proof })
}

function explain(error: AwsError, { tags }: WebIdentityRequest): Explanation | undefined {
  const code = toErrorCode(error)
  if (code === 'AccessDenied') return explainDenial(error)
  if (code === 'JWTPayloadSizeExceeded')
    return [
      'the identity token would be too large',
      tags.length > 0 ? 'set fewer or shorter tags' : 'give the role or session fewer tags',
    ]
  return Object.hasOwn(knownErrors, code) ? knownErrors[code] : undefined
}

/** The condition keys are those of IAM for this action. */
function explainDenial(error: AwsError): Explanation {
  const isAboutTags = error.message.includes('sts:TagGetWebIdentityToken')
  const action = isAboutTags ? 'sts:TagGetWebIdentityToken' : 'sts:GetWebIdentityToken'
  const conditions = isAboutTags
    ? ''
    : '; conditions on sts:IdentityTokenAudience, sts:SigningAlgorithm and sts:DurationSeconds have to permit what is asked for'
  return [`a policy does not permit ${action}`, `${describeDenial(error, { action, resource: '*' })}${conditions}`]
}
