import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { Host } from '../../../runtime/host.ts'
import type { Secret } from '../../../runtime/secret.ts'
import type { AwsPlan } from './plan.ts'

/** Keys that sign a request now, with what is known of whose they are. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken?: Secret | undefined
  /** `undefined` for keys that do not end. */
  readonly expiration?: Date | undefined
  readonly account?: string | undefined
  readonly role?: string | undefined
  /** AWS's clock less this machine's, in milliseconds, where AWS was asked; 0 where they agree. */
  readonly clockOffsetMs?: number | undefined
}

/** What every step of a chain is given. */
export interface AwsContext {
  readonly host: Pick<Host, 'env' | 'home' | 'run' | 'clock'>
  readonly call: NetworkCall
  readonly plan: AwsPlan
  /** PATH for a `credential_process`. */
  readonly path: string | undefined
}
