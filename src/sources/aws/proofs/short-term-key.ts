import { Sha256 } from '@aws-crypto/sha256-js'
import { HttpRequest } from '@smithy/core/protocols'
import { SignatureV4 } from '@smithy/signature-v4'
import { keyServices, longestKeyLifeSec } from '../../../contract/aws/keys.ts'
import { selectPartition } from '../../../contract/aws/partitions.ts'
import type { MintedToken } from '../../../helper/define-helper.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { AwsCredentials, AwsPlan } from '../credentials/credential-source.ts'
import { toAwsFacts } from '../credentials/credentials.ts'
import { toSdkKeys } from '../request/signing-keys.ts'

/**
 * Creates a short-term key for a service: a `CallWithBearerToken` request with its signature in the query, which is not sent. It lives for
 * `lifetimeSec`, but no longer than the credentials, and `expiresAt` is the expiry in the signature.
 */
export async function signShortTermKey(
  credentials: AwsCredentials,
  plan: AwsPlan,
  { service, lifetimeSec, now }: KeyRequest,
): Promise<MintedToken> {
  const signingDate = computeSigningDate(credentials, now)
  const longestSec = Math.min(computeSecondsLeft(credentials, signingDate), longestKeyLifeSec)
  const expiresIn = Math.min(lifetimeSec, longestSec)
  const { region } = plan
  const request = createRequest(toKeyHost(service, region))
  const signed = await createSigner(credentials, { service, region }).presign(request, { signingDate, expiresIn })
  return {
    token: new Secret(renderKey(service, `${request.hostname}${request.path}?${renderQuery(signed)}`)),
    expiresAt: new Date(now + expiresIn * 1000),
    clockOffsetMs: credentials.clockOffsetMs,
    shortenedBy: lifetimeSec < longestSec ? 'lifetime' : undefined,
    facts: toAwsFacts(credentials, plan),
  }
}

/** The properties of a new key. */
interface KeyRequest {
  /** The name of one of {@link keyServices}. */
  readonly service: string
  readonly lifetimeSec: number
  readonly now: number
}

function createRequest(hostname: string): HttpRequest {
  return new HttpRequest({
    method: 'POST',
    protocol: 'https:',
    hostname,
    path: '/',
    query: { Action: 'CallWithBearerToken' },
    headers: { host: hostname },
  })
}

/**
 * Derives the host that a short-term service key is signed for, such as `bedrock.amazonaws.com`: one for all regions of a partition.
 * Settings of endpoints do not count, because nothing is sent to it; the service compares the signature with this name.
 */
function toKeyHost(service: string, region: string): string {
  return `${service}.${selectPartition(region).suffix}`
}

/** Renders the form that the services read: a prefix, then in base64 the URL without its scheme and with a version. */
function renderKey(service: string, signed: string): string {
  const { prefix } = keyServices.find(({ name }) => name === service)! // one of the option's choices
  return `${prefix}${Buffer.from(`${signed}&Version=1`).toString('base64')}`
}

/** Creates a signer for one service in one region (Signature Version 4), from the AWS SDK. */
export function createSigner(
  credentials: AwsCredentials,
  { service, region }: { service: string; region: string },
): SignatureV4 {
  return new SignatureV4({
    service,
    region,
    sha256: Sha256,
    credentials: toSdkKeys(credentials),
    applyChecksum: false,
  })
}

/** Computes the time to sign: by AWS's clock if its offset is known, because AWS refuses a date that is minutes off. */
export function computeSigningDate({ clockOffsetMs = 0 }: AwsCredentials, now: number): Date {
  return new Date(now + clockOffsetMs)
}

/** Computes the remaining life of credentials in whole seconds, at a time of AWS's clock. */
export function computeSecondsLeft({ expiration }: AwsCredentials, at: Date): number {
  return expiration ? Math.floor((expiration.getTime() - at.getTime()) / 1000) : Number.POSITIVE_INFINITY
}

/** Renders a signed query in the order in which it was signed. */
export function renderQuery({ query = {} }: Awaited<ReturnType<SignatureV4['presign']>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
}
