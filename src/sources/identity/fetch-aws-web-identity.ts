import { HelperError } from '../../runtime/failure.ts'
import { Secret } from '../../runtime/secret.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import type { AwsContext, AwsCredentials, AwsPlan } from '../aws/credentials/credential-source.ts'
import { fetchAwsCredentials } from '../aws/credentials/credentials.ts'
import { AwsError, describeApi, type ErrorExplanation, findElement, toErrorCode } from '../aws/request/aws-error.ts'
import { interceptionHint } from '../aws/request/foreign-answer.ts'
import { describeDenial, toFailure } from '../aws/request/request-failures.ts'
import { sendOperation } from '../aws/request/send-operation.ts'
import { identityActions, identityLife, type WebIdentity, type WebIdentityRequest } from './aws-web-identity.ts'

/** Fetches an identity token (a JWT) about an AWS identity from AWS STS. It never outlives the credentials, as AWS requires. */
export async function fetchWebIdentity(request: WebIdentityRequest, context: AwsContext): Promise<WebIdentity> {
  const credentials = await fetchAwsCredentials(context)
  const longestLifeSec = computeLongestLife(credentials, context.host.clock.now())
  const { audiences, algorithm, lifeSec, tags } = request
  const input = {
    Audience: audiences,
    DurationSeconds: Math.min(lifeSec, longestLifeSec),
    SigningAlgorithm: algorithm,
    Tags: tags.map(([Key, Value]) => ({ Key, Value })),
  }
  const operation = { api: 'sts', name: 'GetWebIdentityToken', input, host: 'regional' } as const
  try {
    const { text, clockOffsetMs } = await sendOperation(operation, credentials, context)
    return { ...parseWebIdentity(text, context), clockOffsetMs, credentials, longestLifeSec }
  } catch (error) {
    throw toIdentityFailure(error, request, context.plan)
  }
}

/** In seconds: how long a request may take to arrive. AWS compares the life with the credentials on arrival. Our decision. */
const transitSec = 10

function computeLongestLife({ expiration, clockOffsetMs = 0 }: AwsCredentials, now: number): number {
  const leftSec = expiration ? Math.floor((expiration.getTime() - now - clockOffsetMs) / 1000) - transitSec : Infinity
  return Math.max(identityLife.shortestSec, Math.min(leftSec, identityLife.longestSec))
}

function parseWebIdentity(text: string, { plan }: AwsContext): Pick<WebIdentity, 'token' | 'claims' | 'expiresAt'> {
  const token = findElement(text, 'WebIdentityToken') ?? ''
  const claims = parseJwt(token)?.claims
  const ends = [Number(claims?.exp) * 1000, Date.parse(findElement(text, 'Expiration') ?? '')]
  const expiresAt = new Date(Math.min(...ends.filter((end) => !Number.isNaN(end))))
  if (claims && !Number.isNaN(expiresAt.getTime())) return { token: new Secret(token), claims, expiresAt }
  const message = `${describeApi('sts', plan)} answered without an identity token`
  throw new HelperError('refused', message, interceptionHint)
}

/** Converts an error of `GetWebIdentityToken`. */
function toIdentityFailure(error: unknown, request: WebIdentityRequest, plan: AwsPlan): HelperError {
  const refusal = 'AWS STS gave no identity token'
  if (error instanceof AwsError) {
    const [meaning, known] = explain(error, request) ?? []
    if (known) return new HelperError('refused', `${refusal}: ${error.name}: ${meaning}`, known, { cause: error })
  }
  const proof = { name: 'the credentials', renewalHint: plan.describeRenewal() }
  const hint = 'look the code up in the documentation of GetWebIdentityToken'
  return toFailure(error, { service: describeApi('sts', plan), refusal, hint, proof })
}

function explain(error: AwsError, { tags }: WebIdentityRequest): ErrorExplanation | undefined {
  const code = toErrorCode(error)
  if (code === 'AccessDenied') return explainDenial(error)
  if (code === 'JWTPayloadSizeExceeded')
    return [
      'the identity token would be too large',
      tags.length > 0 ? 'set fewer or shorter tags' : 'give the role or session fewer tags',
    ]
  return Object.hasOwn(knownErrors, code) ? knownErrors[code] : undefined
}

/** Explains a denial, with IAM's condition keys for this action. */
function explainDenial(error: AwsError): ErrorExplanation {
  const isAboutTags = error.message.includes(identityActions.tag)
  const action = isAboutTags ? identityActions.tag : identityActions.get
  const conditions = isAboutTags
    ? ''
    : '; conditions on sts:IdentityTokenAudience, sts:SigningAlgorithm and sts:DurationSeconds have to permit what is asked for'
  return [`a policy does not permit ${action}`, `${describeDenial(error, { action, resource: '*' })}${conditions}`]
}

/** Explanations by the error codes of `GetWebIdentityToken`, without `Exception` (AWS STS API reference). */
const knownErrors: Readonly<Record<string, ErrorExplanation>> = {
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
