import type { Secret } from '../../../runtime/secret.ts'

/** Keys that sign a request. */
export interface SigningKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken?: Secret | undefined
  /** AWS's clock less this machine's, in milliseconds; 0 where they agree, `undefined` where AWS was not asked. */
  readonly clockOffsetMs?: number | undefined
}

/** The keys in the form in which the SDK's signer takes them. */
export function toSdkKeys({ accessKeyId, secretAccessKey, sessionToken }: SigningKeys) {
  return {
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
    ...(sessionToken && { sessionToken: sessionToken.reveal() }),
  }
}
