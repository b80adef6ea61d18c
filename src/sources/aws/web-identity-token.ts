import { GetWebIdentityTokenCommand, STSClient } from '@aws-sdk/client-sts'
import { HelperError } from '../../runtime/failure.ts'
import { Secret } from '../../runtime/secret.ts'
import { type AwsContext, toSdkKeys } from './credentials/aws-credentials.ts'
import { addProfileAuthority, resolveAwsCredentials } from './credentials/credentials.ts'
import { describeRenewal } from './credentials/hints.ts'
import { createClientSettings } from './sdk/client-settings.ts'
import { toFailure } from './sdk/failures.ts'
import { interceptionHint } from './sdk/interception-hint.ts'

/** The life of the identity token, in seconds: AWS's default, and enough for one exchange. */
const lifeSec = 300

/** Error codes of this operation. AWS's documentation of `GetWebIdentityToken`. */
const knownErrors: Readonly<Record<string, readonly [meaning: string, hint: string]>> = {
  OutboundWebIdentityFederationDisabledException: [
    'the account does not issue identity tokens',
    'have an administrator of the account run once: aws iam enable-outbound-web-identity-federation',
  ],
  SessionDurationEscalationException: [
    'the credentials expire before the identity token would',
    'sign in again, or wait until the credentials are renewed',
  ],
  JWTPayloadSizeExceededException: ['the identity token would be too large', 'give the role or session fewer tags'],
}

/** Asks AWS STS for an identity token (a JWT) about an AWS identity, for the given audience. */
export async function fetchWebIdentity(audience: string, given: AwsContext): Promise<Secret> {
  const context = addProfileAuthority(given)
  const { call, plan } = context
  const credentials = await resolveAwsCredentials(context)
  const settings = {
    ...createClientSettings({ service: 'sts', region: plan.region, endpoints: plan.endpoints }, call),
    credentials: toSdkKeys(credentials),
  }
  const service = `AWS STS in ${plan.region}`
  const client = new STSClient(settings)
  const command = new GetWebIdentityTokenCommand({
    Audience: [audience],
    DurationSeconds: lifeSec,
    SigningAlgorithm: 'ES384',
  })
  try {
    const { WebIdentityToken: token } = await call.deadline.during(
      settings.requestHandler.describe(service),
      ({ signal }) => client.send(command, { abortSignal: signal }),
    )
    if (token) return new Secret(token)
  } catch (error) {
    throw toRefusal(error, service, describeRenewal(plan.source, plan.files))
  } finally {
    client.destroy()
  }
  throw new HelperError('refused', `${service} answered without a token`, interceptionHint)
}

function toRefusal(error: unknown, service: string, renewalHint: string): HelperError {
  const refusal = 'AWS STS gave no identity token'
  const { name = '' } = error as Error
  const known = Object.hasOwn(knownErrors, name) ? knownErrors[name] : undefined
  if (known) return new HelperError('refused', `${refusal}: ${name}: ${known[0]}`, known[1], { cause: error })
  const hint = 'have the policies of this identity allow sts:GetWebIdentityToken'
  return toFailure(error, { service, refusal, hint, proof: { name: 'the credentials', renewalHint } })
}
