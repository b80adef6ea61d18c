import type { HelperContext } from '../contract/context.ts'
import type { Deadline } from '../runtime/deadline.ts'
import type { Host } from '../runtime/host.ts'
import type { NetworkSettings } from '../runtime/network/settings.ts'
import type { Secret } from '../runtime/secret.ts'
import type { AttemptedExchange } from './attempted-exchange.ts'
import type { CommonOptions, Options, OptionTable } from './options/table.ts'

/** What a helper is about to use, found out without asking anybody for a token. */
export interface Plan {
  /** Everything beyond the options that decides the answer; JSON, of which nothing but the cache's key is made. */
  readonly inputs: unknown
  /** The same in words, one step a line, for `--explain`. */
  readonly steps: readonly string[]
}

/** A token with what is known of it. */
export interface MintedToken {
  readonly token: Secret
  /** When it stops working; `undefined` for one with no known end, which is never written to disk. */
  readonly expiresAt: Date | undefined
  /** The source's clock less this machine's, in milliseconds, where the source told the time and the two differ. */
  readonly clockOffsetMs?: number | undefined
  /** Values for header templates, by name; one that this token does not have is missing. */
  readonly facts: Readonly<Record<string, string>>
}

/** The run that a mint belongs to. */
export interface Call {
  /** The name of the helper, as messages and hints say it. */
  readonly program: string
  readonly context: HelperContext
  readonly deadline: Deadline
  /** Says one line on stderr, after which the call still succeeds. */
  warn(message: string): void
}

/** A run that gets a new token, for which it may ask other machines. */
export interface NetworkCall extends Call {
  readonly network: NetworkSettings
}

/** What may be used once only, as all processes of this user remember it. */
export interface UsedAssertions {
  /**
   * Does `work` while no other process works with the same token, unless that was used up before.
   * @param id A digest of the token: 40 hexadecimal digits.
   * @param work Calls `markUsed` when the token is used up, with when it ends by itself, in milliseconds since the epoch.
   */
  use<T>(id: string, work: (markUsed: (until: number) => Promise<void>) => Promise<T>): Promise<T | 'used'>
}

/** A run that also knows what is used up. */
export interface MintCall extends NetworkCall {
  readonly usedAssertions: UsedAssertions
}

/** A helper: what it is called for, what can be set, and how it gets a token. Everything else is the runtime's. */
export interface Helper<T extends OptionTable = OptionTable, P extends Plan = Plan> {
  readonly summary: string
  readonly options: T
  /** Names of facts that header templates may use. */
  readonly facts: readonly string[]
  /** The longest that a token can live, in seconds, where the source sets a limit. */
  readonly longestLifeSec?: number
  plan(host: Host, options: NoInfer<Options<T>> & CommonOptions, call: Call): Promise<P>
  mint(host: Host, options: NoInfer<Options<T>> & CommonOptions, call: MintCall, plan: P): Promise<MintedToken>
  /** What `gatepass doctor` asks after a run that failed: the exchange of an identity token, tried up to its sending. */
  diagnose?(
    host: Host,
    options: NoInfer<Options<T>> & CommonOptions,
    call: NetworkCall,
    plan: P,
  ): Promise<AttemptedExchange>
  /** How the tests that every helper must pass give it a token; without it they look beside the helper's own tests. */
  readonly example?: HelperExample
}

/** A source of tokens that one address can stand for. */
export interface HelperExample {
  /** The arguments that lead the helper to that address. */
  argv(url: string): readonly string[]
  /** What the address answers: JSON with a token of an hour, another one for each number. */
  answer(number: number): unknown
}

/** A helper whose table and plan the runtime need not know. */
export type AnyHelper = Helper<OptionTable, Plan>

/** Gives a declaration its types. */
export function defineHelper<const T extends OptionTable, P extends Plan>(helper: Helper<T, P>): Helper<T, P> {
  return helper
}
