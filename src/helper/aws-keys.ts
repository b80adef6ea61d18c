import type { Secret } from '../runtime/secret.ts'

/** The access key, secret and session token of an AWS identity, which a helper gives to clients that sign requests themselves. */
export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken?: Secret | undefined
  /** The expiry by AWS's clock; absent for the long-term access key of an IAM user. */
  readonly expiration?: Date | undefined
  readonly account?: string | undefined
  /** AWS's clock minus this machine's clock, in milliseconds: positive where this machine is behind. */
  readonly clockOffsetMs?: number | undefined
}
