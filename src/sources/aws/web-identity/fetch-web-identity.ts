import { HelperError } from '../../../runtime/failure.ts'
import { Secret } from '../../../runtime/secret.ts'
import { parseJwt } from '../../../runtime/tokens/jwt.ts'
import type { AwsContext, AwsCredentials } from '../credentials/aws-credentials.ts'
import { resolveAwsCredentials } from '../credentials/credentials.ts'
import { describeApi } from '../request/aws-operation.ts'
import { findElement } from '../request/find-element.ts'
import { sendOperation } from '../request/send-operation.ts'
import { interceptionHint } from '../sdk/interception-hint.ts'
import { toIdentityFailure } from './failures.ts'
import { identityLife, type WebIdentity, type WebIdentityRequest } from './web-identity.ts'

/** Asks AWS STS for an identity token (a JWT) about an AWS identity. It never outlives the credentials, as AWS requires. */
export async function fetchWebIdentity(request: WebIdentityRequest, context: AwsContext): Promise<WebIdentity> {
  const credentials = await resolveAwsCredentials(context)
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
    return { ...parseIdentityAnswer(text, context), clockOffsetMs, credentials, longestLifeSec }
  } catch (error) {
    throw toIdentityFailure(error, request, context.plan)
  }
}

/** What a request may need to arrive, in seconds: AWS compares the life with the credentials when it does. Our decision. */
const transitSec = 10

function computeLongestLife({ expiration, clockOffsetMs = 0 }: AwsCredentials, now: number): number {
  const leftSec = expiration ? Math.floor((expiration.getTime() - now - clockOffsetMs) / 1000) - transitSec : Infinity
  return Math.max(identityLife.shortestSec, Math.min(leftSec, identityLife.longestSec))
}

function parseIdentityAnswer(text: string, { plan }: AwsContext): Pick<WebIdentity, 'token' | 'claims' | 'expiresAt'> {
  const token = findElement(text, 'WebIdentityToken') ?? ''
  const claims = parseJwt(token)?.claims
  const ends = [Number(claims?.exp) * 1000, Date.parse(findElement(text, 'Expiration') ?? '')]
  const expiresAt = new Date(Math.min(...ends.filter((end) => !Number.isNaN(end))))
  if (claims && !Number.isNaN(expiresAt.getTime())) return { token: new Secret(token), claims, expiresAt }
  const message = `${describeApi('sts', plan)} answered without an identity token`
  throw new HelperError('refused', message, interceptionHint)
}
