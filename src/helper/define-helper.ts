// Folder: the declaration of a helper, the types of its functions' arguments and results, and its headers.

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
import type { DiagnosedRun, Diagnosis } from './diagnosis.ts'
import type { CommonOptions } from './options/every-helper-options.ts'
import type { GivenOptions, Options, OptionTable } from './options/option-table.ts'
import type { SignIn, SignInState, SignOut } from './sign-in.ts'

/** The source that a helper will use, determined without a request for a token. */
export interface Plan {
  /** Everything besides the options that decides which token it is, as a JSON value. Only the cache key is made from it. */
  readonly inputs: unknown
  /** The plan in words, one step a line, for `--explain`. */
  readonly steps: readonly string[]
  /** Set if nobody is signed in. `inputs` then cannot say whose token it would be, so no token is read from the cache or written to it. */
  readonly isSignedOut?: boolean | undefined
  /** The program that supplies the identity, and the variables and files that decide which identity; absent if no program supplies it. */
  readonly dependence?: ProgramDependence | undefined
  /** The kind of source in a call's outcome; absent if the closed set of kinds has no word for the source. */
  readonly sourceKind?: SourceKind | undefined
}

/**
 * The variables and files that decide which account a program gives a token of: those known for the program, and those that options name.
 */
export interface ProgramDependence {
  /** Names of variables that are set. */
  readonly variables: readonly string[]
  /** Paths of the programs that may be run; absent if none is run. */
  readonly programs?: readonly string[] | undefined
  readonly watched: WatchedFiles
}

/** Files whose change voids the cached token, because a program may then choose another account. */
export interface WatchedFiles {
  readonly paths: readonly string[]
  /** The state of the files when the call was planned. */
  readonly found: WatchedLook
  look(): Promise<WatchedLook>
}

/** A new token with its expiry, facts and headers. */
export interface MintedToken {
  readonly token: Secret
  /**
   * A time by this machine's clock at the mint, because the cache compares it with that clock. `undefined` if the expiry is not known; the token
   * is then never written to disk.
   */
  readonly expiresAt: Date | undefined
  /** The source's clock minus this machine's clock, in milliseconds; absent if they agree, or if the source's answer had no time. */
  readonly clockOffsetMs?: number | undefined
  /** The option that shortened the token's life, if the source would have given a longer one. */
  readonly shortenedBy?: string | undefined
  /** How to make tokens live longer, in the imperative, for a token that a shorter ttl does not help because it ends and is not renewed. */
  readonly remedy?: string | undefined
  /** Values for header templates, by name, as far as this token has them. A structured token has only the wanted members here. */
  readonly facts: Readonly<Record<string, string>>
  /** Headers that the source gave with the token. A configured header takes precedence over one of the same name. */
  readonly headers?: Headers | undefined
}

/** The access key, secret and session token of an AWS identity, which a helper gives to clients that sign requests themselves. */
export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken?: Secret | undefined
  /** The expiry by AWS's clock; absent for the long-term access key of an IAM user. */
  readonly expiration?: Date | undefined
  readonly account?: string | undefined
  /** AWS's clock minus this machine's clock, in milliseconds: positive where this machine is behind. */
  readonly clockOffsetMs?: number | undefined
}

/** The cause of a run in `mid-session-refresh`, derived from the earlier runs of the same client process. */
export interface Refresh extends DetectedRefresh {
  /**
   * The digests (see `digestToken`) of the tokens of which the gateway has just refused one; `undefined` stands for a token without a known
   * expiry. Empty if none was refused.
   */
  readonly refused: ReadonlySet<string | undefined>
  /** When the client process got the oldest token that it still holds, in milliseconds since the epoch; `undefined` if it has got none. */
  readonly heldSince: number | undefined
}

/** The part of a run that its helper's functions get. */
export interface Call {
  /** The helper's name, with which messages begin. */
  readonly program: string
  readonly context: HelperContext
  readonly deadline: Deadline
  /**
   * For an early renewal: the expiry of the cached token, in milliseconds since the epoch. A new token that expires no later is of no use.
   */
  readonly renews?: number | undefined
  /** Present in the context `mid-session-refresh`, once the hand-outs in the cache have been read. */
  readonly refresh?: Refresh | undefined
  warn(message: string): void
}

/** A call that may send requests to other machines. */
export interface NetworkCall extends Call {
  readonly network: NetworkSettings
  /** The facts that this call's headers use, so that others need not be determined; absent if no header is rendered. */
  readonly wantedFacts?: ReadonlySet<string>
  /** The host from which another process is started with this run's options, to renew a sign-in; absent if no helper's program runs. */
  readonly ownProgram?: DetachingHost
}

/**
 * The record of assertions that this user's processes have used, because a server may accept an assertion only once (RFC 7523, section 3,
 * jti).
 */
export interface UsedAssertions {
  /**
   * Does `work` while no other process of this user uses the same assertion, unless it was used before.
   * @param assertion `id` is its digest in 40 hexadecimal digits; `until` its expiry in milliseconds since the epoch.
   * @param work Gets the time of an earlier attempt whose result is not known, in milliseconds since the epoch.
   */
  use<T>(
    assertion: { readonly id: string; readonly until: number },
    work: (sentBefore: number | undefined) => Promise<AssertionUse<T>>,
  ): Promise<T | 'used'>
}

/** The result of sending an assertion. */
interface AssertionUse<T> {
  readonly result: T
  readonly state: 'used' | 'unused' | 'unknown'
}

/** A call with the record of used assertions. */
export interface MintCall extends NetworkCall {
  readonly usedAssertions: UsedAssertions
  /** Removes a token from every cache entry that holds it, so that it is never served again. @param digest See `digestToken`. */
  removeToken(digest: string): Promise<void>
}

/** The call of a command that a person has typed. */
export interface CommandCall extends NetworkCall {
  /** Prints one line on stderr that states what was done. */
  tell(message: string): void
  /** Sets the text for stdout, for a command with output. It is written when the command ends. */
  print(text: string): void
}

/** A command of a person, by which a helper does something other than print a token: `NAME COMMAND [OPTIONS]`. */
export interface HelperCommand<O = CommonOptions, P = Plan> {
  /** The effect of the command, for `--help`, such as `signs you in, and prints nothing`. */
  readonly summary: string
  /** The deadline of the command in seconds. */
  readonly longestSec: number
  /** The options that it takes besides the helper's own, on the command line only. */
  readonly options?: OptionTable
  /** @throws {HelperError} if the command fails. */
  run(host: Host, options: O, call: CommandCall, plan: P): Promise<void>
}

/** Commands by name. The name is the first argument of a run. */
export type HelperCommands<O = CommonOptions, P = Plan> = Readonly<Record<string, HelperCommand<O, P>>>

/** Any helper, where its own options and plan do not matter. */
export type AnyHelper = Helper<OptionTable, Plan>

/** The helpers in a program, by name. Each is loaded on use. */
export type OtherHelpers = ReadonlyMap<string, () => Promise<AnyHelper>>

/** Returns the declaration, for its types. */
export function defineHelper<const T extends OptionTable, P extends Plan>(helper: Helper<T, P>): Helper<T, P> {
  return helper
}

/** A source of tokens that the tests can imitate with one local server. */
interface HelperExample {
  /** The arguments that configure the server's address. */
  argv(url: string): readonly string[]
  /** The server's answer as a JSON value, with a token that lives an hour. Each number gives another token. */
  answer(number: number): unknown
}

/** The state of the watched files at one moment. */
interface WatchedLook {
  /** A digest of their sizes and times. */
  readonly state: string
  /** The latest modification of any of the files, in milliseconds since the epoch; infinite if a change may leave that time as it is. */
  readonly changedAt: number
  /** Reads the files and digests their contents. */
  readContent(): Promise<string>
}

/** The declaration of a helper: its purpose, its options, and how it gets a token. The run does everything else. */
interface Helper<T extends OptionTable = OptionTable, P extends Plan = Plan> {
  readonly summary: string
  readonly options: T
  /** The options and example arguments that `--help` shows; absent: all options, and the examples of every helper. */
  readonly help?: { readonly options: readonly (keyof NoInfer<T> & string)[]; readonly examples: readonly string[] }
  /** Names of facts that header templates may use; `claims.NAME` stands for every claim of a JWT. */
  readonly facts: readonly string[]
  /** The longest life of a token in seconds, if the source limits it. */
  readonly longestLifeSec?: number
  /** The longest `ttlSec` with which a client sends no token in its last minute, for a source whose tokens live less than an hour. */
  readonly longestTtlSec?: number
  /** The ttl in seconds that `config init` proposes, for a helper that cannot know how long its tokens live. */
  readonly suggestedTtlSec?: number
  /**
   * Set if the helper may get a token without any configuration, because something on the machine supplies everything. Otherwise the tests
   * of every helper expect such a run to fail.
   */
  readonly configuration?: 'optional'
  /** Files that `plan` reads with any options. They are read in parallel with the option files, which saves time. */
  reads?(host: Host): readonly string[]
  /**
   * The problems that the options have on every machine; a run refuses them in `plan`. `gatepass config` calls this without the files of a
   * machine, so an unset option is not a problem here.
   */
  validate?(
    options: NoInfer<GivenOptions<T>> & CommonOptions,
    asked: { readonly program: string; readonly platform: NodeJS.Platform },
  ): readonly Problem[] | Promise<readonly Problem[]>
  /** Determines the source of the token. It may read files, and sends no request. @throws {HelperError} for a wrong configuration. */
  plan(host: Host, options: NoInfer<Options<T>> & CommonOptions, call: Call): Promise<P>
  /**
   * Gets a token from the source. It imports its modules when it is called, so that a call that is served from the cache does not load them.
   * @throws {HelperError} `sign-in-required` if only a person can continue, or the source's failure.
   */
  mint(host: Host, options: NoInfer<Options<T>> & CommonOptions, call: MintCall, plan: P): Promise<MintedToken>
  /** The keys of the helper's AWS identity, for clients that want them instead of a token. */
  obtainAwsCredentials?(...parts: [...RunParts<T>, plan: P]): Promise<AwsKeys>
  /** The plan in more detail than its steps, one line each, for `--explain`. A line that begins with spaces continues the one before it. */
  explain?(plan: P): Promise<readonly string[]>
  /**
   * The sign-in of a person, for a helper whose `mint` may fail with `sign-in-required`; `undefined` if the plan needs none. Calling this
   * opens no browser and asks nobody.
   */
  signIn?(...parts: [...RunParts<T>, plan: P]): Promise<SignIn | undefined>
  /**
   * Renews a person's sign-in without the person. A run starts a separate process for this, so that other runs can wait for it too. It asks
   * nobody, and its call has a deadline of its own.
   */
  renew?(...parts: [...RunParts<T>, plan: P]): Promise<void>
  /** Finds who is signed in; `undefined` if this plan needs no sign-in. Only for helpers that sign people in. It only reads files. */
  whoami?(...parts: [...RunParts<T>, plan: P]): Promise<SignInState | undefined>
  /**
   * Ends a person's sign-in, for a helper that stores it: revokes it at the provider, and deletes it. It asks nobody, and warns of what it
   * could not do.
   */
  signOut?(...parts: [...RunParts<T>, plan: P]): Promise<SignOut>
  /**
   * Records in the helper's own store that the gateway has refused tokens, so that no run gives one of them again. It asks nobody.
   */
  noteRefusal?(...parts: [...RunParts<T>, plan: P, refresh: Refresh]): Promise<void>
  /** Further commands that a person can type, such as one that stores a key. */
  readonly commands?: HelperCommands<NoInfer<Options<T>> & CommonOptions, NoInfer<P>>
  /** Lines about a served token, which are printed instead of it if an option asks for them; `undefined` if none does. */
  report?(...parts: [...RunParts<T>, token: MintedToken]): Promise<readonly string[] | undefined>
  /** Collects findings for `gatepass doctor` after a run. It asks no person and exchanges no token. */
  diagnose?(...parts: [...RunParts<T>, run: DiagnosedRun<P>]): Promise<Diagnosis>
  /** The further servers that `diagnose` asks, described for a person who may agree to it first; empty if it asks none. */
  listAsked?(options: NoInfer<Options<T>> & CommonOptions): readonly string[]
  /** The main functions of the processes that a run of this helper starts, by their first argument. */
  readonly children?: Readonly<Record<string, (program: string, host: Host) => Promise<void>>>
  /** The source that the tests of every helper imitate; absent if `countable-source.ts` beside the helper's own tests does that. */
  readonly example?: HelperExample
}

/** The parts of a run with which a method begins that may ask over the network. */
type RunParts<T extends OptionTable> = [host: Host, options: NoInfer<Options<T>> & CommonOptions, call: NetworkCall]
