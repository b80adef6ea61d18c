import type { NetworkCall } from '../../helper/define-helper.ts'
import type { Host } from '../../runtime/host.ts'
import type { CallbackListener, ListenerOptions } from './listener/callback-listener.ts'

/**
 * One way of signing a person in. It runs in a process of its own and leaves its result in its own store, from which a later
 * mint reads it.
 */
export interface SignInFlow {
  /** The same for everything that one sign-in serves: kind, start URL, region, session. A digest of it names the files of the sign-in. */
  readonly id: string
  /** As messages name it: `the SSO session "dev"`. */
  readonly subject: string
  /** How long the provider lets a person take, in seconds. */
  readonly limitSec: number
  /** Whether the store holds a usable sign-in now, be it ours or one made elsewhere meanwhile (`aws sso login`). Reads files only. */
  isSignedIn(): Promise<boolean>
  /** What to do when nobody has come back by then, in the imperative, where that depends on the provider. */
  findUnfinishedHint?(): Promise<string>
  /**
   * Does the whole of it: asks the provider, shows the address, waits, stores the result.
   * @throws {HelperError} that every waiting run reports.
   */
  run(tools: SignInTools): Promise<void>
}

/** What a flow is given. */
export interface SignInTools {
  readonly host: Host
  /** Its deadline is {@link SignInFlow.limitSec}, counted from the beginning of the sign-in. */
  readonly call: NetworkCall
  /** Whether a browser can be opened here, and the person did not ask for `--sign-in device`. */
  readonly canOpenBrowser: boolean
  /** Opens the listener for the browser's return; before anything is shown. */
  openListener(options: ListenerOptions): Promise<CallbackListener>
  /** Tells every waiting run what to show, and opens the browser where it can. Returns after the address stands in the note. */
  show(prompt: SignInPrompt): Promise<void>
}

/** What a person needs for a sign-in. */
export interface SignInPrompt {
  readonly address: string
  /** What the person enters, or compares, on the page at the address (RFC 8628). */
  readonly userCode?: string
  /** When the address no longer works. */
  readonly expiresAt?: Date
}
