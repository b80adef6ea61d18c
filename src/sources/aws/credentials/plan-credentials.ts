// Plans the credentials of an AWS helper: it chooses between the environment, a profile and the AWS SDK.

import type { SourceKind } from '../../../contract/source-kinds.ts'
import type { Options } from '../../../helper/options/option-table.ts'
import { expandHome } from '../../../runtime/disk.ts'
import { HelperError, type Problem, toHelperError, validateReading } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { AuthorityFile } from '../../../runtime/network/settings.ts'
import { quoteForAnyShell } from '../../../runtime/text/quote.ts'
import type { ProgramIdentity } from '../../program/program-identity.ts'
import { type ProgramOptions, validateWatch } from '../../program/program-options.ts'
import { describeEndpoints, isRegionName, regionHint, resolveEndpointSettings } from '../endpoint-settings.ts'
import { type AwsFiles, findSection, readAwsFiles } from '../files/aws-files.ts'
import { toRegionError, toTerminalHint } from '../files/locate-setting.ts'
import { findUnknownSetting } from '../files/unknown-settings.ts'
import type { awsOptions } from './aws-options.ts'
import { collectIdentityFacts, describeRenewal, describeSource, isPersonal } from './aws-source-kinds.ts'
import {
  type AwsCredentialSource,
  type AwsPlan,
  type Configuration,
  findEnvironmentKeys,
  findKeySource,
  isRoleAssumed,
  selectFirst,
} from './credential-source.ts'

/** Finds problems that the options of an AWS identity have on every machine of this system. */
export function validateAwsOptions(
  options: Pick<ProgramOptions, 'watch'> & { readonly region?: string | undefined },
  platform: NodeJS.Platform,
): Problem[] {
  const { region } = options
  return [
    ...(region === undefined ? [] : validateReading(() => requireRegionName(region))),
    ...validateWatch(options, platform),
  ]
}

/** The inputs that decide which credentials are used. */
type ProfileOptions = Pick<Options<typeof awsOptions>, 'profile' | 'region' | 'path' | 'aws-chain'> & ProgramOptions

/**
 * Plans the source of credentials. If a profile is named, nothing else is tried; otherwise keys in the environment come first, then the
 * profile `default`, an identity token, a container, and instance metadata on a machine that may have it. The option `aws-chain` selects
 * our own chain, the AWS SDK, or the SDK only for settings that our own chain does not know.
 * @throws {HelperError} `not-configured` if there is no region or no source, or the profile's own failure.
 */
export async function planAwsCredentials(host: Host, options: ProfileOptions): Promise<AwsPlan> {
  const files = await readAwsFiles(host)
  const known = options.region ?? findSection(files.profiles, options.profile ?? 'default')?.region
  const configuration = { files, env: host.env, region: known ?? '' }
  const { source, ownFailure } = await planChain(options, configuration, host.platform)
  // Thrown after the source is planned, because a problem with the identity is reported before a missing region.
  if (known === undefined && ownFailure) throw ownFailure
  const region = requireRegion(known, options, files)
  const endpoints = resolveEndpointSettings(options.profile, configuration)
  const context = await collectIdentityFacts(source, files, host)
  const dependence = await findDependence(source, host, options)
  return {
    source,
    region,
    files,
    endpoints,
    authority: findAuthority(options.profile, files, host),
    ownFailure,
    describeRenewal: () => describeRenewal(source, files),
    inputs: { source, region, path: options.path, context, program: dependence?.inputs },
    dependence,
    isSignedOut: isPersonal(source) && !context.signIn,
    sourceKind: toSourceKind(source),
    steps: [...describeSource(source), `region ${region}`, ...describeEndpoints(endpoints)],
  }
}

/** Plans the source with our own chain, or leaves it to the AWS SDK together with the result of our own chain. */
async function planChain(
  { profile, 'aws-chain': chain }: ProfileOptions,
  configuration: Configuration,
  platform: NodeJS.Platform,
): Promise<Pick<AwsPlan, 'source' | 'ownFailure'>> {
  const planOwn = () => (profile ? planNamed(profile, configuration) : planUnnamed(configuration, platform))
  const unknown = chain === 'auto' ? findUnknownSetting(profile ?? 'default', configuration.files) : undefined
  const isEnough = chain === 'own' || (chain === 'auto' && unknown === undefined)
  if (isEnough || (chain === 'auto' && !profile && findEnvironmentKeys(configuration.env)))
    return { source: await planOwn() }
  const own = await planOwn().catch(toHelperError)
  const reason = unknown ? `because of ${unknown.words}` : 'as the option aws-chain says'
  if (!(own instanceof HelperError)) return { source: { kind: 'sdk', profile, reason, own } }
  return { source: { kind: 'sdk', profile, reason }, ...(unknown && { ownFailure: own }) }
}

function requireRegion(
  region: string | undefined,
  { profile, region: given }: ProfileOptions,
  files: AwsFiles,
): string {
  if (region === undefined)
    throw new HelperError(
      'not-configured',
      `no region is known${profile === undefined ? '' : ` for profile "${profile}"`}`,
      toTerminalHint(
        `pass --region, set AWS_REGION, or run: aws configure set region REGION --profile ${quoteForAnyShell(profile ?? 'default')}`,
        files,
      ),
    )
  if (isRegionName(region)) return region
  if (given === undefined) throw toRegionError(files, profile ?? 'default')
  return requireRegionName(region)
}

/**
 * Finds the facts that decide whose credentials a `credential_process` at the beginning of the chain prints, or the facts that options
 * name.
 */
async function findDependence(
  chain: AwsCredentialSource,
  host: Host,
  options: ProfileOptions,
): Promise<ProgramIdentity | undefined> {
  const source = selectFirst(chain)
  if (source.kind !== 'process' && options.watch.length + options['watch-variable'].length === 0) return undefined
  const { findNamedIdentity, collectProgramIdentity } = await import('../../program/program-identity.ts')
  if (source.kind !== 'process') return findNamedIdentity(host, options)
  return collectProgramIdentity(host, { line: source.command, path: options.path }, options)
}

/**
 * Finds the certificate authority. As in botocore, the chosen profile's `ca_bundle` applies to its whole chain, and `AWS_CA_BUNDLE`
 * overrides it.
 */
function findAuthority(
  profile = 'default',
  { profiles }: AwsFiles,
  { env, home }: Pick<Host, 'env' | 'home'>,
): AuthorityFile | undefined {
  const path = findSection(profiles, profile)?.ca_bundle
  if (!path || env.AWS_CA_BUNDLE) return undefined
  return { path: expandHome(path, home), origin: `ca_bundle of profile "${profile}"` }
}

/**
 * Derives the kind of source for outcomes. An assumed role has the kind of the first source in its chain, which is the one that expires or
 * needs a sign-in.
 */
function toSourceKind(chain: AwsCredentialSource): SourceKind | undefined {
  const { kind } = selectFirst(chain)
  return kind === 'role' || kind === 'sdk' ? undefined : `aws-${kind}`
}

/** Returns the region. @throws {HelperError} `not-configured` for an option that is not the name of a region. */
function requireRegionName(region: string): string {
  if (isRegionName(region)) return region
  throw new HelperError('not-configured', 'the region is not the name of a region', regionHint)
}

/** Plans the source of a named profile. A profile with keys is planned here; the code for any other chain is loaded on use. */
async function planNamed(profile: string, configuration: Configuration): Promise<AwsCredentialSource> {
  const section = findSection(configuration.files.profiles, profile)
  const keys = section && !isRoleAssumed(section) ? findKeySource(profile, section) : undefined
  if (keys) return keys
  const { planProfile } = await import('./plan-profile.ts')
  return planProfile(profile, configuration)
}

async function planUnnamed(configuration: Configuration, platform: NodeJS.Platform): Promise<AwsCredentialSource> {
  const { env, files } = configuration
  const keys = findEnvironmentKeys(env)
  if (keys) return keys
  if (hasCredentialSettings(files)) return planNamed('default', configuration)
  const { planWithoutProfile } = await import('./environment-sources.ts')
  return planWithoutProfile(configuration, platform)
}

/** Returns whether `[default]` configures credentials. Many people have only `region` and `output` there. */
function hasCredentialSettings(files: AwsFiles): boolean {
  const credentialKey = /^(aws_|role_arn|source_profile|credential_|web_identity|sso_|login_)/
  return Object.keys(files.profiles.default ?? {}).some((key) => credentialKey.test(key))
}
