import { GetWebIdentityTokenCommand, STSClient } from '@aws-sdk/client-sts'
import { HelperError } from '../../runtime/failure.ts'
import { Secret } from '../../runtime/secret.ts'
import type { AwsContext } from './credentials/aws-credentials.ts'
import { believeProfile, resolveAwsCredentials } from './credentials/credentials.ts'
import { renewalOf } from './credentials/renewal.ts'
import { clientSettings } from './sdk/client-settings.ts'
import { asFailure } from './sdk/failures.ts'

/** Long enough to be exchanged at once, in seconds; AWS's own default. */
const lifeSec = 300

/** Refusals that are about this operation. AWS's documentation of `GetWebIdentityToken`. */
const known: Readonly<Record<string, readonly [means: string, way: string]>> = {
  OutboundWebIdentityFederationDisabledException: [
    'the account does not hand out identity tokens',
    'have an administrator of the account run once: aws iam enable-outbound-web-identity-federation',
  ],
  SessionDurationEscalationException: [
    'the credentials end before the identity token would',
    'sign in again, or wait until the credentials are renewed',
  ],
  JWTPayloadSizeExceededException: ['the identity token would be too large', 'give the role or session fewer tags'],
}

/** Has AWS STS sign an identity token for an AWS identity. */
export async function fetchWebIdentity(audience: string, given: AwsContext): Promise<Secret> {
  const surroundings = believeProfile(given)
  const { call, plan } = surroundings
  const { accessKeyId, secretAccessKey, sessionToken } = await resolveAwsCredentials(surroundings)
  const profile = 'profile' in plan.source ? plan.source.profile : undefined
  const settings = {
    ...clientSettings({ profile, region: plan.region }, call),
    credentials: {
      accessKeyId,
      secretAccessKey: secretAccessKey.reveal(),
      ...(sessionToken && { sessionToken: sessionToken.reveal() }),
    },
  }
  const asked = `AWS STS in ${plan.region}`
  const client = new STSClient(settings)
  const command = new GetWebIdentityTokenCommand({
    Audience: [audience],
    DurationSeconds: lifeSec,
    SigningAlgorithm: 'ES384',
  })
  try {
    const { WebIdentityToken: token } = await call.deadline.during(
      settings.requestHandler.describe(asked),
      ({ signal }) => client.send(command, { abortSignal: signal }),
    )
    if (token) return new Secret(token)
  } catch (error) {
    throw asRefusal(error, asked, renewalOf(plan.source, plan.files))
  } finally {
    client.destroy()
  }
  throw new HelperError('refused', `${asked} answered without a token`, 'find out what stands between here and AWS')
}

function asRefusal(error: unknown, asked: string, renewal: string): HelperError {
  const refusal = 'AWS STS gave no identity token'
  const { name = '' } = error as Error
  const meaning = Object.hasOwn(known, name) ? known[name] : undefined
  if (meaning) return new HelperError('refused', `${refusal}: ${name}: ${meaning[0]}`, meaning[1], { cause: error })
  const way = 'have the policies of this identity allow sts:GetWebIdentityToken'
  return asFailure(error, { asked, refusal, way, proof: { name: 'the credentials', renewal } })
}
