// Declares what one way of signing a person in has to offer, and the tools and hints that every way shares.

import type { NetworkCall } from '../../helper/define-helper.ts'
import {
  cacheProblem,
  createCacheDirectory,
  locateCacheDirectory,
  UnsafeCacheError,
} from '../../runtime/files/private-files.ts'
import type { Host } from '../../runtime/host.ts'
import type { CallbackListener, ListenerOptions } from './listener/callback.ts'
import { checkHeld } from './progress/locks.ts'
import { locateSignInFiles, type SignInFiles } from './progress/note.ts'
import type { SignInWay } from './sign-in-options.ts'

/** One way of signing a person in. It runs in a separate process and writes its result to its own store, which a later mint reads. */
export interface SignInFlow {
  /**
   * The identity of the sign-in as text: kind, start URL, region, session. All runs with an equal text share a sign-in, and its digest
   * names the files.
   */
  readonly id: string
  /**
   * The settings besides the id that decide which address is shown and how its answer is handled, as JSON. A run with other settings
   * begins a new sign-in. Absent if there are none.
   */
  readonly request?: string
  /** The name of the sign-in in messages: `the SSO session "dev"`. */
  readonly subject: string
  /** The purpose of the sign-in, for people: `the client gatepass`. */
  readonly purpose?: string
  /** How long the provider lets a person take, in seconds. */
  readonly limitSec: number
  /** Whether the store has a usable sign-in now, from a helper or from another program (`aws sso login`). It only reads files. */
  isSignedIn(): Promise<boolean>
  /** Finds the hint for a sign-in that is not finished within the limit, if the hint depends on the provider; imperative. */
  explainUnfinished?(): Promise<string>
  /**
   * Runs the whole sign-in: sends the request, shows the address, waits, and stores the result.
   * @throws {HelperError} that every waiting run reports.
   */
  run(tools: SignInTools): Promise<void>
}

/** The tools that the process of a sign-in gives to its flow. */
export interface SignInTools {
  readonly host: Host
  /** Its deadline is {@link SignInFlow.limitSec}, counted from the beginning of the sign-in. */
  readonly call: NetworkCall
  /** Whether a browser can be opened here, and the person did not ask for `--sign-in device`. */
  readonly canOpenBrowser: boolean
  /** Opens the listener to which the browser comes back, before anything is shown. */
  openListener(options: ListenerOptions): Promise<CallbackListener>
  /** Writes the prompt for every waiting run, and opens the browser if it can. Resolves when the address is in the note. */
  show(prompt: SignInPrompt): Promise<void>
  /** Aborted when the sign-in has ended before its result was stored: by a sign-out, by another sign-in, or at its limit. */
  readonly signal: AbortSignal
  /**
   * Called right before the result is written. From then on only the flow itself ends the sign-in, so that the reported result agrees with
   * the store.
   * @throws the reason of {@link signal} if the sign-in has ended, so that nothing is stored.
   */
  beginStoring(): void
}

/** The hint if a sign-in cannot be completed, and only a new one helps. */
export const newSignInHint = 'start again, which begins a new sign-in'

/** The hint where this run cannot sign anybody in. */
export const nextSessionHint = 'start a new session, in which a person can sign in'

/** The problem of a sign-in that somebody denied, and the hint. */
export const denial = { problem: 'was denied in the browser', hint: 'start again, and allow it there' } as const

/** The hint if a provider ended the sign-in for a reason that is not known. */
export const askProviderHint = `${newSignInHint}; if it fails again, report this to whoever runs the provider`

/** The hint for an answer that may be an attacker's. */
export const intruderHint = 'start again; if that happens once more, report this to whoever runs the provider'

/** The address, and the code if there is one, with which a person signs in. */
export interface SignInPrompt {
  readonly address: string
  /** The code that the person enters, or compares, on the page at the address (RFC 8628). */
  readonly userCode?: string
  /** When the address no longer works. */
  readonly expiresAt?: Date
}

/** Opens the files of a sign-in; warns and returns `undefined` if they cannot be used. */
export async function openFiles(flow: SignInFlow, { host, call }: SignInParts): Promise<SignInFiles | undefined> {
  try {
    const files = locateSignInFiles(await createCacheDirectory(locateCacheDirectory(host)), flow.id)
    await checkHeld(files.lock)
    return files
  } catch (error) {
    const { code, errstr } = error as NodeJS.ErrnoException & { errstr?: string } // errstr comes from SQLite
    const reason = error instanceof UnsafeCacheError ? error.message : (errstr ?? code)
    call.warn(`${cacheProblem}: ${reason}; this run signs in by itself, and the sign-in ends with it`)
    return undefined
  }
}

/** The parts of a run that its sign-in uses. */
export interface SignInParts {
  readonly host: Host
  readonly call: NetworkCall
  readonly way: SignInWay
  /**
   * Opens the address of the sign-in, instead of a program on this machine. It may run until the person is done; what it throws ends
   * the sign-in.
   */
  readonly openAddress?: ((address: string) => Promise<unknown>) | undefined
}

/** Describes a sign-in that ran into the provider's limit. */
export function describeUnfinished(subject: string, limitSec: number): string {
  const minutes = Math.round(limitSec / 60)
  return `nobody finished the sign-in to ${subject} within ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`
}
