import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import type { SigningKeys } from '../request/signing-keys.ts'
import type { CredentialSource } from './credential-source.ts'
import type { AwsPlan } from './plan.ts'

/** Keys that can sign a request now, with what is known about their owner. */
export interface AwsCredentials extends SigningKeys {
  /** `undefined` for keys that do not expire. */
  readonly expiration?: Date | undefined
  readonly account?: string | undefined
  readonly role?: string | undefined
  /** The caller's ARN, where AWS has said it. */
  readonly arn?: string | undefined
}

/** What every step of a chain of credentials is given. */
export interface AwsContext {
  readonly host: Pick<Host, 'env' | 'home' | 'clock'>
  readonly call: NetworkCall
  readonly plan: AwsPlan
  /** PATH for a `credential_process`. */
  readonly path: string | undefined
  /** Is told of every step that succeeds, the innermost first. */
  readonly onStep?: (source: CredentialSource, credentials: AwsCredentials) => void
}
