// Folder: the declaration of a helper, the types that it is given and gives, and its headers.

import type { HelperContext } from '../contract/context.ts'
import type { Headers } from '../contract/headers.ts'
import type { DetectedRefresh } from '../contract/refresh.ts'
import type { SourceKind } from '../contract/source-kinds.ts'
import type { Deadline } from '../runtime/deadline.ts'
import type { Problem } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'
import type { NetworkSettings } from '../runtime/network/settings.ts'
import type { DetachingHost } from '../runtime/program/start-orphan.ts'
import type { Secret } from '../runtime/secret.ts'
import type { AwsKeys } from './aws-keys.ts'
import type { DiagnosedRun, Diagnosis } from './diagnosis.ts'
import type { CommonOptions } from './options/every-helper-options.ts'
import type { GivenOptions, Options, OptionTable } from './options/option-table.ts'
import type { SignIn, SignInState, SignOut } from './sign-in.ts'

/** The source that a helper will use, which is determined without a request for a token. */
export interface Plan {
  /** Everything beyond the options that decides which token it is, as JSON; only the cache's key is made from it. */
  readonly inputs: unknown
  /** The plan in words, one step a line, for `--explain`. */
  readonly steps: readonly string[]
  /** Nobody is signed in. Then `inputs` do not tell whose token it would be, and no token is read from the cache or written to it. */
  readonly isSignedOut?: boolean | undefined
  /** The program that supplies the identity, and the variables and files that decide which one; absent where no program does. */
  readonly dependence?: ProgramDependence | undefined
  /** The kind of source that operations are told; absent if the closed set has no word for it. */
  readonly sourceKind?: SourceKind | undefined
}

/** The variables and files by which a program decides whose token it gives: those that are known, and those that options name. */
export interface ProgramDependence {
  /** Names of variables that are set. */
  readonly variables: readonly string[]
  /** Files of programs; absent where none is run. */
  readonly programs?: readonly string[] | undefined
  readonly watched: WatchedFiles
}

/** Files whose change voids the cached token, because a program may then choose another account. */
export interface WatchedFiles {
  readonly paths: readonly string[]
  /** How they were when the call was planned. */
  readonly found: WatchedLook
  look(): Promise<WatchedLook>
}

/** A new token, and what is known of it. */
export interface MintedToken {
  readonly token: Secret
  /** `undefined` if it is not known; then the token is never written to disk. */
  readonly expiresAt: Date | undefined
  /** The source's clock less this machine's, in milliseconds, where the source tells the time and the two differ. */
  readonly clockOffsetMs?: number | undefined
  /** The option that cut its life short, where the source would have given more. */
  readonly shortenedBy?: string | undefined
  /** Says in the imperative how to make tokens live longer, if a shorter ttl does not help because this token ends and is not renewed. */
  readonly remedy?: string | undefined
  /** Values for header templates, by name, as far as this token has them; of members only those that are wanted. */
  readonly facts: Readonly<Record<string, string>>
  /** Headers that the source gave with the token; a header that is configured here counts before one of the same name. */
  readonly headers?: Headers | undefined
}

/** The cause of a run in `mid-session-refresh`, as far as the earlier runs of the same client's process tell. */
export interface Refresh extends DetectedRefresh {
  /**
   * The digests of the tokens of which the gateway has just refused one, as `digestToken` gives them; `undefined` among them stands for
   * a token without a known end. Empty where none was refused.
   */
  readonly refused: ReadonlySet<string | undefined>
  /** When the process was handed the oldest token that it holds, in milliseconds since the epoch; `undefined` where it was never seen. */
  readonly heldSince: number | undefined
}

/** The part of its run that a helper is given. */
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
  /** In `mid-session-refresh`, if the token cache has determined it. */
  readonly refresh?: Refresh | undefined
  warn(message: string): void
}

/** A call that may send requests to other machines. */
export interface NetworkCall extends Call {
  readonly network: NetworkSettings
  /** The facts that the headers of this call ask for; absent where none are rendered. Others need not be found out. */
  readonly wantedFacts?: ReadonlySet<string>
  /** How a process is started with the options of this run, to renew a sign-in; absent where the run is not a helper's own. */
  readonly ownProgram?: DetachingHost
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

/** The result of sending an assertion. */
export interface AssertionUse<T> {
  readonly result: T
  readonly state: 'used' | 'unused' | 'unknown'
}

/** A call that also knows the used assertions. */
export interface MintCall extends NetworkCall {
  readonly usedAssertions: UsedAssertions
  /** Takes a token out of the cache wherever it is kept, so that nobody is served it any more. @param digest See `digestToken`. */
  removeToken(digest: string): Promise<void>
}

/** A run of a command, which a person has typed. */
export interface CommandCall extends NetworkCall {
  /** Prints one line on stderr: what was done. */
  tell(message: string): void
  /** Says what stdout gets at the end, for a command that was asked something. */
  print(text: string): void
}

/** A command of a person, by which a helper does something other than print a token: `NAME COMMAND [OPTIONS]`. */
export interface HelperCommand<O = CommonOptions, P = Plan> {
  /** The effect of the command, for `--help`, such as `signs you in, and prints nothing`. */
  readonly summary: string
  /** A command that hangs ends by itself, after so many seconds. */
  readonly longestSec: number
  /** The options that it takes besides the helper's own, on the command line only. */
  readonly options?: OptionTable
  /** @throws {HelperError} why it was not done. */
  run(host: Host, options: O, call: CommandCall, plan: P): Promise<void>
}

/** Commands by their names, which are the first arguments. */
export type HelperCommands<O = CommonOptions, P = Plan> = Readonly<Record<string, HelperCommand<O, P>>>

/** A source of tokens that a server at one address can imitate. */
export interface HelperExample {
  /** The arguments that name the address. */
  argv(url: string): readonly string[]
  /** The server's answer, as JSON, with a token that lives an hour; each number has a token of its own. */
  answer(number: number): unknown
}

/** A helper of any option table and plan. */
export type AnyHelper = Helper<OptionTable, Plan>

/** The helpers that a program holds, by their names, each loaded on use. */
export type OtherHelpers = ReadonlyMap<string, () => Promise<AnyHelper>>

/** Returns the declaration, for its types. */
export function defineHelper<const T extends OptionTable, P extends Plan>(helper: Helper<T, P>): Helper<T, P> {
  return helper
}

/** How watched files are at one moment. */
interface WatchedLook {
  /** A digest of their sizes and times. */
  readonly state: string
  /** When one of them last changed, in milliseconds since the epoch; infinite if a file may change without getting a later time. */
  readonly changedAt: number
  /** A digest of what is in them, which is read now. */
  readContent(): Promise<string>
}

/** A helper: its purpose, its options, and how it gets a token. Everything else is done by the run. */
interface Helper<T extends OptionTable = OptionTable, P extends Plan = Plan> {
  readonly summary: string
  readonly options: T
  /** The options that `--help` shows, and the arguments of its examples; if absent, all options, and examples that every helper has. */
  readonly help?: { readonly options: readonly (keyof NoInfer<T> & string)[]; readonly examples: readonly string[] }
  /** Names of facts that header templates may use; `claims.NAME` stands for every claim of a JWT. */
  readonly facts: readonly string[]
  /** The longest life of a token, in seconds, where the source sets a limit. */
  readonly longestLifeSec?: number
  /** The longest `ttlSec` under which a client sends none in its last minute; for a source whose tokens never live an hour. */
  readonly longestTtlSec?: number
  /** The ttl that `config init` proposes, in seconds, where others decide how long tokens live. */
  readonly suggestedTtlSec?: number
  /**
   * Whether it may get a token where nothing is configured, because something on the machine knows everything. Without this, the tests
   * of every helper expect that such a run fails.
   */
  readonly configuration?: 'optional'
  /** Files that `plan` reads whatever the options are. They are read while the option files are, which saves a wait. */
  reads?(host: Host): readonly string[]
  /**
   * The problems that options have on every machine; a run refuses them in `plan`. `gatepass config` calls this where no machine's file is
   * known, so that an option that is not set is not a problem here.
   */
  validate?(
    options: NoInfer<GivenOptions<T>> & CommonOptions,
    asked: { readonly program: string; readonly platform: NodeJS.Platform },
  ): readonly Problem[] | Promise<readonly Problem[]>
  plan(host: Host, options: NoInfer<Options<T>> & CommonOptions, call: Call): Promise<P>
  mint(host: Host, options: NoInfer<Options<T>> & CommonOptions, call: MintCall, plan: P): Promise<MintedToken>
  /** The keys of the AWS identity that it uses, for a helper whose source is AWS and for clients that want them in place of a token. */
  obtainAwsCredentials?(
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
   * Renews a person's sign-in without the person, for the runs that wait for it: what a process does that such a run has started. It
   * asks nobody, and its call has a deadline of its own.
   */
  renew?(host: Host, options: NoInfer<Options<T>> & CommonOptions, call: NetworkCall, plan: P): Promise<void>
  /**
   * Finds who is signed in; `undefined` if this plan needs no sign-in. Only for helpers that sign people in. It reads files, asks nobody,
   * and changes nothing.
   */
  whoami?(
    host: Host,
    options: NoInfer<Options<T>> & CommonOptions,
    call: NetworkCall,
    plan: P,
  ): Promise<SignInState | undefined>
  /**
   * Ends a person's sign-in, for a helper that keeps it itself: tells the provider, and forgets it. It asks nobody, and what it
   * could not do is a warning of the call.
   */
  signOut?(host: Host, options: NoInfer<Options<T>> & CommonOptions, call: NetworkCall, plan: P): Promise<SignOut>
  /**
   * Records in the helper's own store that the gateway has refused tokens, so that no run gives one of them again. It asks nobody.
   */
  noteRefusal?(
    host: Host,
    options: NoInfer<Options<T>> & CommonOptions,
    call: NetworkCall,
    plan: P,
    refresh: Refresh,
  ): Promise<void>
  /** Further commands for a person, such as one that keeps a key. */
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
  /** Called by `gatepass doctor` after a run. It must not ask a person, or exchange anything. */
  diagnose?(
    host: Host,
    options: NoInfer<Options<T>> & CommonOptions,
    call: NetworkCall,
    run: DiagnosedRun<P>,
  ): Promise<Diagnosis>
  /** Whom `diagnose` asks besides, in words, so that a person can agree to it first; empty where these options ask nobody. */
  listAsked?(options: NoInfer<Options<T>> & CommonOptions): readonly string[]
  /** The work of the processes that a run of this helper starts, by their first argument. */
  readonly children?: Readonly<Record<string, (program: string, host: Host) => Promise<void>>>
  /** How the tests of every helper give it tokens; without it they use `countable-source.ts` beside the helper's own tests. */
  readonly example?: HelperExample
}
