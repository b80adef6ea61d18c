import type { Secret } from '../../runtime/secret.ts'
import type { AwsCredentials } from '../aws/credentials/credential-source.ts'

/** A request for an identity token of AWS STS (AWS's documentation of `GetWebIdentityToken`). */
export interface WebIdentityRequest {
  readonly audiences: readonly string[]
  readonly algorithm: 'ES384' | 'RS256'
  /** The life to ask for, in seconds. */
  readonly lifeSec: number
  readonly tags: readonly (readonly [key: string, value: string])[]
}

/** An identity token of AWS STS, and the facts about it. */
export interface WebIdentity {
  readonly token: Secret
  /** The claims, read without verifying the signature. */
  readonly claims: Readonly<Record<string, unknown>>
  /** The earlier of the expiries in the token and in the answer, by AWS's clock. */
  readonly expiresAt: Date
  /** See `toClockOffset`. */
  readonly clockOffsetMs: number
  readonly credentials: AwsCredentials
  /** The longest life that a token of these credentials could have had, in seconds. */
  readonly longestLifeSec: number
}

/** The permissions for an identity token, and for one with tags (AWS's Service Authorization Reference). */
export const identityActions = { get: 'sts:GetWebIdentityToken', tag: 'sts:TagGetWebIdentityToken' } as const

/** The life of an identity token, in seconds: the limits of AWS, and AWS's own default, which is used for an exchange. */
export const identityLife = { shortestSec: 60, longestSec: 3600, exchangeSec: 300 } as const
