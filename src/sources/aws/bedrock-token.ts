import { HttpRequest } from '@smithy/core/protocols'
import { SignatureV4 } from '@smithy/signature-v4'
import type { MintedToken } from '../../helper/define-helper.ts'
import { Secret } from '../../runtime/secret.ts'
import { type AwsCredentials, toSdkKeys } from './credentials/aws-credentials.ts'
import { toAwsFacts } from './credentials/credentials.ts'
import { longestBedrockLifeSec } from './credentials/options.ts'
import type { AwsPlan } from './credentials/plan.ts'
import { toKeyHost } from './endpoints/hosts.ts'
import { SigningHash } from './sdk/signing-hash.ts'

/**
 * Makes a short-term Bedrock API key: a `CallWithBearerToken` request with its signature in the query, which is not sent. It
 * lives for `lifetimeSec`, but no longer than the credentials do, and `expiresAt` is the end that the signature states.
 */
export async function signBedrockToken(
  credentials: AwsCredentials,
  plan: AwsPlan,
  { lifetimeSec, now }: { lifetimeSec: number; now: number },
): Promise<MintedToken> {
  const signingDate = new Date(now + (credentials.clockOffsetMs ?? 0))
  const leftSec = credentials.expiration
    ? Math.floor((credentials.expiration.getTime() - signingDate.getTime()) / 1000)
    : Number.POSITIVE_INFINITY
  const longestSec = Math.min(leftSec, longestBedrockLifeSec)
  const expiresIn = Math.min(lifetimeSec, longestSec)
  const signed = await createSigner(credentials, plan.region).presign(createRequest(plan.region), {
    signingDate,
    expiresIn,
  })
  return {
    token: new Secret(renderToken(signed)),
    // By this machine's clock, because the cache compares it with that.
    expiresAt: new Date(now + expiresIn * 1000),
    clockOffsetMs: credentials.clockOffsetMs,
    shortenedBy: lifetimeSec < longestSec ? 'lifetime' : undefined,
    facts: toAwsFacts(credentials, plan),
  }
}

function createRequest(region: string): HttpRequest {
  const hostname = toKeyHost('bedrock', region)
  const query = { Action: 'CallWithBearerToken' }
  return new HttpRequest({
    method: 'POST',
    protocol: 'https:',
    hostname,
    path: '/',
    query,
    headers: { host: hostname },
  })
}

function createSigner(credentials: AwsCredentials, region: string): SignatureV4 {
  return new SignatureV4({ service: 'bedrock', region, sha256: SigningHash, credentials: toSdkKeys(credentials) })
}

/** The form that Bedrock reads: a prefix, then in base64 the URL without its scheme but with a version. */
function renderToken({ hostname, path, query = {} }: Awaited<ReturnType<SignatureV4['presign']>>): string {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  const url = `${hostname}${path}?${parameters.join('&')}&Version=1`
  return `bedrock-api-key-${Buffer.from(url).toString('base64')}`
}
