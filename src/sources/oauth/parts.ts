import type { NetworkCall } from '../../helper/define-helper.ts'
import type { Host } from '../../runtime/host.ts'
import type { SignInWay } from './options.ts'

/** What a sign-in is given of the run that needs it. */
export interface SignInParts {
  readonly host: Host
  readonly call: NetworkCall
  readonly way: SignInWay
}
