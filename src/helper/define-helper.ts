import type { HelperContext } from '../contract/context.ts'
import type { Headers } from '../contract/headers.ts'
import type { Deadline } from '../runtime/deadline.ts'
import type { Host } from '../runtime/host.ts'
import type { NetworkSettings } from '../runtime/network/settings.ts'
import type { SourceKind } from '../runtime/outcome/source-kinds.ts'
import type { Secret } from '../runtime/secret.ts'
import type { AwsKeys } from './aws-keys.ts'
import type { DiagnosedRun, Diagnosis } from './diagnosis.ts'
import type { CommonOptions, Options, OptionTable } from './options/table.ts'
import type { SignIn, SignOut } from './sign-in.ts'

/** What a helper will use, which is determined without a request for a token. */
export interface Plan {
  /** Everything beyond the options that decides which token it is, as JSON; only the cache's key is made from it. */
  readonly inputs: unknown
  /** The same in words, one step a line, for `--explain`. */
  readonly steps: readonly string[]
  /** Nobody is signed in: `inputs` do not tell whose token it would be, so that none is taken from the cache or kept. */
  readonly isSignedOut?: boolean | undefined
  /** What operations are told of the source; absent where no word of the closed set is right. */
  readonly sourceKind?: SourceKind | undefined
}

/** A new token, and what is known of it. */
export interface MintedToken {
  readonly token: Secret
  /** `undefined` where it is not known; such a token is never written to disk. */
  readonly expiresAt: Date | undefined
  /** The source's clock less this machine's, in milliseconds, where the source tells the time and the two differ. */
  readonly clockOffsetMs?: number | undefined
  /** The option that cut its life short, where the source would have given more. */
  readonly shortenedBy?: string | undefined
  /** What makes tokens live longer, in the imperative, where a shorter ttl does not help: this one ends, and is not renewed. */
  readonly remedy?: string | undefined
  /** Values for header templates, by name, as far as this token has them; of members only those that are wanted. */
  readonly facts: Readonly<Record<string, string>>
  /** Headers that the source gave with the token; a header that is configured here counts before one of the same name. */
  readonly headers?: Headers | undefined
}

/** What a helper is given of its run. */
export interface Call {
  /** The name of the helper, as messages and hints say it. */
  readonly program: string
  readonly context: HelperContext
  readonly deadline: Deadline
  /**
   * For a token that is renewed early: when the kept one expires, in milliseconds since the epoch. One that expires by then gives
   * nothing.
   */
  readonly renews?: number | undefined
  /** Prints one warning on stderr. */
  warn(message: string): void
}

/** A call that may send requests to other machines. */
export interface NetworkCall extends Call {
  readonly network: NetworkSettings
  /** The facts that the headers of this call ask for; absent where none are rendered. Others need not be found out. */
  readonly wantedFacts?: ReadonlySet<string>
}

/** The assertions that processes of this user have used, which may be valid for one use only (RFC 7523, section 3, jti). */
export interface UsedAssertions {
  /**
   * Does `work` while no other process works with the same assertion, unless it was used before.
   * @param assertion `id` is a digest of it, 40 hexadecimal digits; `until` its expiry in milliseconds since the epoch.
   * @param work Is given when an earlier run sent the assertion and did not learn whether that used it, in milliseconds since
   * the epoch.
   */
  use<T>(
    assertion: { readonly id: string; readonly until: number },
    work: (sentBefore: number | undefined) => Promise<AssertionUse<T>>,
  ): Promise<T | 'used'>
}

/** What came of sending an assertion. */
export interface AssertionUse<T> {
  readonly result: T
  readonly state: 'used' | 'unused' | 'unknown'
}

/** A call that also knows the used assertions. */
export interface MintCall extends NetworkCall {
  readonly usedAssertions: UsedAssertions
}

/** A run of a command, which a person has typed. */
export interface CommandCall extends NetworkCall {
  /** Prints one line on stderr: what was done. */
  tell(message: string): void
}

/** What a person has a helper do besides printing a token: `NAME COMMAND [OPTIONS]`. It prints nothing on stdout. */
export interface HelperCommand<O = CommonOptions, P = Plan> {
  /** What it does, for `--help`, such as `signs you in, and prints nothing`. */
  readonly summary: string
  /** A command that hangs ends by itself, after so many seconds. */
  readonly longestSec: number
  /** @throws {HelperError} why it was not done. */
  run(host: Host, options: O, call: CommandCall, plan: P): Promise<void>
}

/** Commands by their names, which are the first arguments. */
export type HelperCommands<O = CommonOptions, P = Plan> = Readonly<Record<string, HelperCommand<O, P>>>

/** A helper: its purpose, its options, and how it gets a token. Everything else is done by the run. */
interface Helper<T extends OptionTable = OptionTable, P extends Plan = Plan> {
  readonly summary: string
  readonly options: T
  /** Names of facts that header templates may use; `claims.NAME` stands for every claim of a JWT. */
  readonly facts: readonly string[]
  /** The longest life of a token, in seconds, where the source sets a limit. */
  readonly longestLifeSec?: number
  /** The longest `ttlSec` under which a client sends none in its last minute; for a source whose tokens never live an hour. */
  readonly longestTtlSec?: number
  /** The ttl that `config init` proposes, in seconds, where others decide how long tokens live. */
  readonly suggestedTtlSec?: number
  /** Files that `plan` reads whatever the options are. They are read while the option files are, which saves a wait. */
  reads?(host: Host): readonly string[]
  plan(host: Host, options: NoInfer<Options<T>> & CommonOptions, call: Call): Promise<P>
  mint(host: Host, options: NoInfer<Options<T>> & CommonOptions, call: MintCall, plan: P): Promise<MintedToken>
  /** The keys of the AWS identity that it uses, for a helper whose source is AWS and for clients that want them in place of a token. */
  awsCredentials?(
    host: Host,
    options: NoInfer<Options<T>> & CommonOptions,
    call: NetworkCall,
    plan: P,
  ): Promise<AwsKeys>
  /** The plan in more words than its steps, one line each, for `--explain`; a line that begins with spaces belongs to the one before. */
  explain?(plan: P): Promise<readonly string[]>
  /**
   * How a person signs in, for a helper whose `mint` may fail with `sign-in-required`; `undefined` where the plan needs none.
   * It opens and asks nothing by itself.
   */
  signIn?(
    host: Host,
    options: NoInfer<Options<T>> & CommonOptions,
    call: NetworkCall,
    plan: P,
  ): Promise<SignIn | undefined>
  /**
   * Ends a person's sign-in, for a helper that keeps it itself: tells the provider, and forgets it. It asks nobody, and what it
   * could not do is a warning of the call.
   */
  signOut?(host: Host, options: NoInfer<Options<T>> & CommonOptions, call: NetworkCall, plan: P): Promise<SignOut>
  /** What else a person can have it do, such as keeping what it prints. */
  readonly commands?: HelperCommands<NoInfer<Options<T>> & CommonOptions, NoInfer<P>>
  /**
   * Lines about a token that was served, which are printed in its place where the options of a person ask for them; `undefined`
   * where they do not.
   */
  report?(
    host: Host,
    options: NoInfer<Options<T>> & CommonOptions,
    call: NetworkCall,
    token: MintedToken,
  ): Promise<readonly string[] | undefined>
  /** What `gatepass doctor` calls after a run; nobody may be asked, and nothing is exchanged. */
  diagnose?(
    host: Host,
    options: NoInfer<Options<T>> & CommonOptions,
    call: NetworkCall,
    run: DiagnosedRun<P>,
  ): Promise<Diagnosis>
  /** How the tests of every helper give it tokens; without it they use `countable-source.ts` beside the helper's own tests. */
  readonly example?: HelperExample
}

/** A source of tokens that a server at one address can imitate. */
export interface HelperExample {
  /** The arguments that name the address. */
  argv(url: string): readonly string[]
  /** The server's answer, as JSON, with a token that lives an hour; each number has a token of its own. */
  answer(number: number): unknown
}

/** A helper of any option table and plan. */
export type AnyHelper = Helper<OptionTable, Plan>

/** Returns the declaration, for its types. */
export function defineHelper<const T extends OptionTable, P extends Plan>(helper: Helper<T, P>): Helper<T, P> {
  return helper
}
