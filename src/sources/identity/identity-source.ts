// Folder: the sources of a workload's identity token: files, programs, and the platforms that give one out.

import type { Call, NetworkCall, ProgramDependence } from '../../helper/define-helper.ts'
import type { Options } from '../../helper/options/option-table.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import {
  isMetadataHost,
  isSecureAddress,
  type NetworkScope,
  unusableAddress,
  validateWebAddress,
} from '../../runtime/network/addresses.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { TokenIdentity } from '../../runtime/tokens/jwt.ts'
import { hasValue } from '../../runtime/values/json-value.ts'
import type { AwsPlan } from '../aws/credentials/credential-source.ts'
import type { workloadOptions } from './workload-options.ts'

/** The resolved options of a helper that uses a workload's identity. */
export type WorkloadOptions = Options<typeof workloadOptions>

/** The source of a workload's identity token, before any request. */
export interface IdentitySource {
  /** The name of the token in messages, such as "the identity token in /run/token". */
  readonly token: string
  /** The origin of the token, if its name does not contain it. `--explain` adds it to the name. */
  readonly detail?: string
  /** The facts that decide whose token is returned, for the cache key: JSON without secrets. */
  readonly inputs: unknown
  /** The facts about a program that also decide whose token is returned. */
  readonly dependence?: ProgramDependence | undefined
  /** The identity in the token, if the token can be read without a request. */
  readonly identity?: TokenIdentity | undefined
  /** The audience that the token must name; `undefined` if that is not known. */
  readonly audience: string | undefined
  /** The hint for a missing or expired token, imperative. */
  readonly renewalHint: string
  /** The hint for a token with another audience, imperative; absent: to correct the option `audience`. */
  readonly audienceHint?: string | undefined
  /** The AWS identity in the token; absent if AWS does not issue it. */
  readonly aws?: AwsPlan
  /** Returns a new token, or for a file or variable its current token. */
  obtain(call: NetworkCall): Promise<Secret>
}

/** The part of a call that planning a source needs. */
export type SourceCall = Pick<Call, 'program'>

/** Prepares a source by options and environment. @throws {HelperError} `not-configured` if it does not exist. */
export type PrepareIdentity = (
  host: Host,
  options: WorkloadOptions,
  call: SourceCall,
) => Promise<IdentitySource> | IdentitySource

/** Requires the audience of the token. @throws {HelperError} `not-configured` if it is not set. */
export function requireAudience(options: WorkloadOptions, call: SourceCall): string {
  return requireOption(options, 'audience', 'name the audience of the identity token', call)
}

/**
 * Requires the value of an option.
 * @param instruction What to set it to, imperative, such as "name the file".
 * @throws {HelperError} `not-configured` if it is not set, or is an empty list.
 */
export function requireOption<Name extends keyof WorkloadOptions & string>(
  options: WorkloadOptions,
  name: Name,
  instruction: string,
  { program }: SourceCall,
): NonNullable<WorkloadOptions[Name]> {
  const value = options[name]
  if (hasValue(value)) return value
  throw new HelperError(
    'not-configured',
    `identity is ${options.identity}, and ${name} is not set`,
    `${instruction} with --${name}, a variable or a file; see: ${program} --help`,
  )
}

/**
 * Parses the address of an identity source.
 * @param setting The option or variable with the address.
 * @throws {HelperError} `not-configured`; the message does not repeat the address, which may hold a secret.
 */
export function parseAddress(text: string, setting: string, scope: NetworkScope): URL {
  const url = URL.parse(text)
  if (!url || validateWebAddress(url))
    throw new HelperError(
      'not-configured',
      `${setting} ${unusableAddress}`,
      `write the address into ${setting} in full and without a name or password, such as https://id.example/token`,
    )
  if (isSecureAddress(url) || (scope === 'metadata' && isMetadataHost(url.hostname))) return url
  throw new HelperError(
    'not-configured',
    `${setting} names ${url.hostname} over plain http, where anybody on the network could read the identity token`,
    `write an https address into ${setting}`,
  )
}

/** Renders the hint for a token with another audience, where a program requests it. */
export function toAudienceHint(program: string): string {
  return `have ${program} ask for that audience, or correct audience`
}
