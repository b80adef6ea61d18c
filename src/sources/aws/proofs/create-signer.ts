import { SignatureV4 } from '@smithy/signature-v4'
import type { AwsCredentials } from '../credentials/aws-credentials.ts'
import { toSdkKeys } from '../request/signing-keys.ts'
import { SigningHash } from '../sdk/signing-hash.ts'

/** Signs requests to one service in one region (Signature Version 4), with the SDK's own signer. */
export function createSigner(
  credentials: AwsCredentials,
  { service, region }: { service: string; region: string },
): SignatureV4 {
  return new SignatureV4({
    service,
    region,
    sha256: SigningHash,
    credentials: toSdkKeys(credentials),
    applyChecksum: false,
  })
}

/** The time that is signed: by AWS's clock where it is known, because AWS refuses a date that is minutes off. */
export function computeSigningDate({ clockOffsetMs = 0 }: AwsCredentials, now: number): Date {
  return new Date(now + clockOffsetMs)
}

/** How long credentials are still valid at a time of AWS's clock, in whole seconds. */
export function computeSecondsLeft({ expiration }: AwsCredentials, at: Date): number {
  return expiration ? Math.floor((expiration.getTime() - at.getTime()) / 1000) : Number.POSITIVE_INFINITY
}

/** A signed query as it is sent, in the order in which it was signed. */
export function renderQuery({ query = {} }: Awaited<ReturnType<SignatureV4['presign']>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
}
