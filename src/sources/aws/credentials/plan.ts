import type { Plan } from '../../../helper/define-helper.ts'
import type { Options } from '../../../helper/options/table.ts'
import { readText } from '../../../runtime/disk.ts'
import type { Environment } from '../../../runtime/environment.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { expandHome } from '../../../runtime/files.ts'
import type { Host } from '../../../runtime/host.ts'
import type { AuthorityFile } from '../../../runtime/network/settings.ts'
import { describeAwsContext } from './aws-context.ts'
import { type CredentialSource, describeSource } from './credential-source.ts'
import type { awsOptions } from './options.ts'
import { containerSource, environmentKeys, environmentWebIdentity, instanceSource } from './plan-environment.ts'
import { type Configuration, planProfile } from './plan-profile.ts'
import { inTerminal, quoteWord } from './renewal.ts'
import { type AwsFiles, readAwsFiles } from './shared-files.ts'

/** Which credentials an AWS helper will use. */
export interface AwsPlan extends Plan {
  readonly source: CredentialSource
  readonly region: string
  readonly files: AwsFiles
  /** The profile's own `ca_bundle`. */
  readonly authority?: AuthorityFile | undefined
}

/**
 * Finds where credentials come from. A profile that is named is final; with none named, environment keys come first, then
 * the profile `default`, an identity token, a container, and instance metadata on a machine that may have it.
 * @throws {HelperError} `not-configured` when there is no region or no source, or the profile's own message.
 */
export async function planAwsCredentials(host: Host, options: Options<typeof awsOptions>): Promise<AwsPlan> {
  const files = await readAwsFiles(host)
  const known = options.region ?? files.profiles[options.profile ?? 'default']?.region
  const configuration = { files, env: host.env, region: known ?? '' }
  const source = options.profile
    ? planProfile(options.profile, configuration)
    : await planUnnamed(configuration, host.platform)
  // Second, because what is wrong with the identity is the first thing to say.
  const region = checkRegion(known, options.profile, files)
  return {
    source,
    region,
    files,
    authority: findAuthority(options.profile, files, host),
    inputs: { source, region, path: options.path, surroundings: await describeAwsContext(source, files, host) },
    steps: [...describeSource(source), `region ${region}`],
  }
}

/** As botocore has it: that of the profile that was chosen, for its whole chain; the variable counts before it. */
function findAuthority(
  profile = 'default',
  { profiles }: AwsFiles,
  { env, home }: Pick<Host, 'env' | 'home'>,
): AuthorityFile | undefined {
  const path = Object.hasOwn(profiles, profile) ? profiles[profile]?.ca_bundle : undefined
  if (!path || env.AWS_CA_BUNDLE) return undefined
  return { path: expandHome(path, home), origin: `ca_bundle of profile "${profile}"` }
}

function checkRegion(region: string | undefined, profile: string | undefined, files: AwsFiles): string {
  if (region === undefined)
    throw new HelperError(
      'not-configured',
      `no region is known${profile === undefined ? '' : ` for profile "${profile}"`}`,
      inTerminal(
        `pass --region, set AWS_REGION, or run: aws configure set region REGION --profile ${quoteWord(profile ?? 'default')}`,
        files,
      ),
    )
  if (!/^[a-z0-9-]+$/.test(region))
    throw new HelperError('not-configured', 'the region is not a region name', 'name one such as eu-central-1')
  return region
}

async function planUnnamed(configuration: Configuration, platform: NodeJS.Platform): Promise<CredentialSource> {
  const { env, files, region } = configuration
  const keys = environmentKeys(env)
  if (keys) return keys
  if (Object.hasOwn(files.profiles, 'default') && saysMoreThanRegion(files))
    return planProfile('default', configuration)
  const source = environmentWebIdentity(env, region) ?? containerSource(env)
  if (source) return source
  if (await mayHaveInstanceMetadata(env, platform)) return instanceSource(env)
  throw new HelperError(
    'not-configured',
    `no AWS identity is configured: no profile is named, ${files.configPath} has no usable [default], and the environment has no keys`,
    inTerminal(
      'name a profile with --profile or AWS_PROFILE; see which there are with: aws configure list-profiles',
      files,
    ),
  )
}

/** Many people keep only `region` and `output` in `[default]`; that is no statement about credentials. */
function saysMoreThanRegion(files: AwsFiles): boolean {
  const sayings = /^(aws_|role_arn|source_profile|credential_|web_identity|sso_|login_)/
  return Object.keys(files.profiles.default ?? {}).some((key) => sayings.test(key))
}

/** Asking for instance metadata where there is none costs seconds on every call, so a plain desktop is not asked. */
async function mayHaveInstanceMetadata(env: Environment, platform: NodeJS.Platform): Promise<boolean> {
  if (env.AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') return false
  if (env.AWS_EC2_METADATA_SERVICE_ENDPOINT) return true
  if (platform === 'win32') return true // no file tells; the request itself is limited to a second
  if (platform !== 'linux') return false
  const vendorName = await readText('/sys/class/dmi/id/sys_vendor').catch(() => '') // absent on a desktop's kernel or in a container
  return vendorName.includes('Amazon')
}
