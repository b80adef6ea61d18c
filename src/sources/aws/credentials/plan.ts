import type { Plan } from '../../../helper/define-helper.ts'
import type { Options } from '../../../helper/options/table.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { expandHome } from '../../../runtime/files.ts'
import type { Host } from '../../../runtime/host.ts'
import type { AuthorityFile } from '../../../runtime/network/settings.ts'
import type { SourceKind } from '../../../runtime/outcome/source-kinds.ts'
import { describeEndpoints } from '../endpoints/describe-endpoints.ts'
import { type EndpointSettings, resolveEndpointSettings } from '../endpoints/endpoint-settings.ts'
import { toConfigurationError } from '../files/configuration-error.ts'
import { isRegionName } from '../files/region-name.ts'
import { checkForInstance } from '../metadata/check-for-instance.ts'
import { describeAwsContext } from './aws-context.ts'
import { type CredentialSource, describeSource } from './credential-source.ts'
import {
  findContainerSource,
  findEnvironmentKeys,
  findEnvironmentWebIdentity,
  toInstanceSource,
} from './environment-sources.ts'
import { quoteWord, toTerminalHint } from './hints.ts'
import type { awsOptions } from './options.ts'
import { planProfile } from './plan-profile.ts'
import type { Configuration } from './plan-section.ts'
import { type AwsFiles, readAwsFiles } from './shared-files.ts'

/** The credentials that an AWS helper will use. */
export interface AwsPlan extends Plan {
  readonly source: CredentialSource
  readonly region: string
  readonly files: AwsFiles
  /** Which addresses of AWS the whole chain asks. */
  readonly endpoints: EndpointSettings
  /** The profile's own `ca_bundle`. */
  readonly authority?: AuthorityFile | undefined
}

/** What decides which credentials are used. */
type ProfileOptions = Pick<Options<typeof awsOptions>, 'profile' | 'region' | 'path'>

/**
 * Finds where credentials come from. If a profile is named, nothing else is tried; otherwise keys in the environment come
 * first, then the profile `default`, an identity token, a container, and instance metadata on a machine that may have it.
 * @throws {HelperError} `not-configured` when there is no region or no source, or the profile's own message.
 */
export async function planAwsCredentials(host: Host, options: ProfileOptions): Promise<AwsPlan> {
  const files = await readAwsFiles(host)
  const known = options.region ?? files.profiles[options.profile ?? 'default']?.region
  const configuration = { files, env: host.env, region: known ?? '' }
  const source = options.profile
    ? planProfile(options.profile, configuration)
    : await planUnnamed(configuration, host.platform)
  // After the source, because a problem with the identity is reported before a missing region.
  const region = requireRegion(known, options, files)
  const endpoints = resolveEndpointSettings(options.profile, configuration)
  const context = await describeAwsContext(source, files, host)
  return {
    source,
    region,
    files,
    endpoints,
    authority: findAuthority(options.profile, files, host),
    inputs: { source, region, path: options.path, context },
    isSignedOut: isPersonal(source) && !context.signIn,
    sourceKind: toSourceKind(source),
    steps: [...describeSource(source), `region ${region}`, ...describeEndpoints(endpoints)],
  }
}

/** Whether credentials begin with a person's sign-in. */
function isPersonal(source: CredentialSource): boolean {
  return source.kind === 'role' ? isPersonal(source.from) : source.kind === 'sso' || source.kind === 'login'
}

/** A role that is assumed counts as what its chain begins with: that is what ends, or has to be signed in again. */
function toSourceKind(source: CredentialSource): SourceKind {
  return source.kind === 'role' ? toSourceKind(source.from) : `aws-${source.kind}`
}

/** As in botocore, the chosen profile's `ca_bundle` is for its whole chain, and `AWS_CA_BUNDLE` overrides it. */
function findAuthority(
  profile = 'default',
  { profiles }: AwsFiles,
  { env, home }: Pick<Host, 'env' | 'home'>,
): AuthorityFile | undefined {
  const path = Object.hasOwn(profiles, profile) ? profiles[profile]?.ca_bundle : undefined
  if (!path || env.AWS_CA_BUNDLE) return undefined
  return { path: expandHome(path, home), origin: `ca_bundle of profile "${profile}"` }
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
        `pass --region, set AWS_REGION, or run: aws configure set region REGION --profile ${quoteWord(profile ?? 'default')}`,
        files,
      ),
    )
  if (isRegionName(region)) return region
  const name = profile ?? 'default'
  if (given === undefined)
    throw toConfigurationError(files, `the region of profile "${name}" is not the name of a region`, {
      section: { kind: 'profile', name },
      key: 'region',
    })
  throw new HelperError('not-configured', 'the region is not the name of a region', 'set a region such as eu-central-1')
}

async function planUnnamed(configuration: Configuration, platform: NodeJS.Platform): Promise<CredentialSource> {
  const { env, files, region } = configuration
  const keys = findEnvironmentKeys(env)
  if (keys) return keys
  if (Object.hasOwn(files.profiles, 'default') && hasCredentialSettings(files))
    return planProfile('default', configuration)
  const source = findEnvironmentWebIdentity(env, region) ?? findContainerSource(env)
  if (source) return source
  if (await checkForInstance(env, platform)) return toInstanceSource(env, files.profiles.default)
  throw new HelperError(
    'not-configured',
    `no AWS identity is configured: no profile is named, ${files.configPath} has no usable [default], and the environment has no keys`,
    toTerminalHint(
      'name a profile with --profile or AWS_PROFILE; list the profiles with: aws configure list-profiles',
      files,
    ),
  )
}

/** Many people keep only `region` and `output` in `[default]`, which names no credentials. */
function hasCredentialSettings(files: AwsFiles): boolean {
  const credentialKey = /^(aws_|role_arn|source_profile|credential_|web_identity|sso_|login_)/
  return Object.keys(files.profiles.default ?? {}).some((key) => credentialKey.test(key))
}
