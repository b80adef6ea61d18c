import type { Call, NetworkCall } from '../../helper/define-helper.ts'
import type { Options } from '../../helper/options/table.ts'
import type { Host } from '../../runtime/host.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { Identity } from '../../runtime/tokens/jwt.ts'
import type { AwsPlan } from '../aws/credentials/plan.ts'
import type { workloadOptions } from './options.ts'

/** The resolved options of a helper that uses a workload's identity. */
export type WorkloadOptions = Options<typeof workloadOptions>

/** Where a workload's identity token comes from, found out without a request. */
export interface IdentitySource {
  /** Names the token in messages, such as "the identity token in /run/token". */
  readonly token: string
  /** The source in words, for `--explain`. */
  readonly step: string
  /** What decides whose token comes, for the cache's key: JSON without secrets. */
  readonly inputs: unknown
  /** The identity in the token, where the token can be read without a request. */
  readonly identity?: Identity | undefined
  /** The audience that the token must name; `undefined` where that is not known. */
  readonly audience: string | undefined
  /** What a person does about a missing or expired token, imperative. */
  readonly renewalHint: string
  /** What a person does about a token for another audience, imperative. */
  readonly audienceHint: string
  /** The AWS identity that the token is about, where AWS makes it. */
  readonly aws?: AwsPlan
  /** Gets a new token from a source that makes them; a file or variable gives the one that is there now. */
  obtain(call: NetworkCall): Promise<Secret>
}

/** The part of a call that the plan of a source uses. */
export type SourceCall = Pick<Call, 'program'>

/** Finds a source by options and environment. @throws {HelperError} `not-configured` where it does not exist. */
export type FindIdentity = (
  host: Host,
  options: WorkloadOptions,
  call: SourceCall,
) => Promise<IdentitySource> | IdentitySource
