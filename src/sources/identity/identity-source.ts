import type { NetworkCall } from '../../helper/define-helper.ts'
import type { Options } from '../../helper/options/table.ts'
import type { Host } from '../../runtime/host.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { Identity } from '../jwt.ts'
import type { workloadOptions } from './options.ts'

export type WorkloadOptions = Options<typeof workloadOptions>

/** Where a workload's identity token comes from, found out without asking anybody. */
export interface IdentitySource {
  /** Names the token in messages, such as "the identity token in /run/token". */
  readonly token: string
  /** In words, for `--explain`. */
  readonly step: string
  /** What decides whose token comes; JSON, never a secret. */
  readonly inputs: unknown
  /** Whose token it is, where it can be read as it lies. */
  readonly identity?: Identity | undefined
  /** What the token must name; `undefined` where that is not known. */
  readonly audience: string | undefined
  /** What a person does about a token that is too old, or no token at all. */
  readonly renewal: string
  /** What a person does about a token for somebody else. */
  readonly audienceWay: string
  /** A new token, where the source makes them; a file's or a variable's is the one that is there now. */
  obtain(call: NetworkCall): Promise<Secret>
}

/** Finds a source, as options and environment say. @throws {HelperError} `not-configured` when it is not there. */
export type FindIdentity = (host: Host, options: WorkloadOptions) => Promise<IdentitySource> | IdentitySource
