import type { Secret } from '../runtime/secret.ts'

/** Keys of an AWS identity, as a helper gives them that has some. */
export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken?: Secret | undefined
  /** When they expire, by AWS's clock; `undefined` for keys that do not expire. */
  readonly expiration?: Date | undefined
  readonly account?: string | undefined
  /** AWS's clock less this machine's, in milliseconds. */
  readonly clockOffsetMs?: number | undefined
}
