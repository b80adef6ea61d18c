import type { NetworkCall } from '../../helper/define-helper.ts'
import type { Host } from '../../runtime/host.ts'
import type { SignInWay } from './options.ts'

/** What a sign-in is given of the run that needs it. */
export interface SignInParts {
  readonly host: Host
  readonly call: NetworkCall
  readonly way: SignInWay
  /**
   * Opens the address of the sign-in in place of a program of this machine. It may go on until the person is done; what it throws
   * ends the sign-in.
   */
  readonly openAddress?: (address: string) => Promise<unknown>
}
