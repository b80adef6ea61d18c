// Plans the sources that the environment names: an identity token, a container, or the instance.

import { join } from 'node:path'
import { readIfPresent, readStatus, readText } from '../../../runtime/disk.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { isSecureAddress, isWebAddress, metadataAddress, normalizeHost } from '../../../runtime/network/addresses.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import type { Section } from '../files/aws-files.ts'
import { toTerminalHint } from '../files/locate-setting.ts'
import {
  type AwsCredentialSource,
  type Configuration,
  findEnvironmentKeys,
  type SourceOf,
  toPartial,
} from './credential-source.ts'

/**
 * Plans the source if neither a profile nor keys in the environment are set: an identity token, a container, or instance metadata on a
 * machine that may have it.
 * @throws {HelperError} `not-configured` if there is none.
 */
export async function planWithoutProfile(
  { env, files, region }: Configuration,
  platform: NodeJS.Platform,
): Promise<AwsCredentialSource> {
  const source = findEnvironmentWebIdentity(env, region) ?? findContainerSource(env)
  if (source) return source
  if (await mayBeInstance(env, platform)) return toInstanceSource(env, files.profiles.default)
  throw new HelperError(
    'not-configured',
    `no AWS identity is configured: no profile is named, ${files.configPath} has no usable [default], and the environment has no keys`,
    toTerminalHint(
      'name a profile with --profile or AWS_PROFILE; list the profiles with: aws configure list-profiles',
      files,
    ),
  )
}

/** Finds the role that the environment configures with an identity token, as in a Kubernetes pod. */
function findEnvironmentWebIdentity(env: Environment, region: string): SourceOf<'web-identity'> | undefined {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: roleArn } = env
  if (tokenFile && !roleArn) throw toPartial('AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN')
  if (!tokenFile || !roleArn) return undefined
  return { kind: 'web-identity', roleArn, region, tokenFile, sessionName: env.AWS_ROLE_SESSION_NAME || undefined }
}

/** Finds the credentials endpoint in a container's environment. */
function findContainerSource(env: Environment, profile?: string): SourceOf<'container'> | undefined {
  const endpoint = findContainerEndpoint(env)
  return endpoint ? { kind: 'container', profile, endpoint } : undefined
}

/** Finds the source that a profile's `credential_source` names, ignoring case; `undefined` if this machine has none. */
export function findNamedSource(
  name: string,
  env: Environment,
  { profile, section }: { profile: string; section: Section },
): AwsCredentialSource | undefined | 'unknown' {
  switch (name.toLowerCase()) {
    case 'environment':
      return findEnvironmentKeys(env)
    case 'ecscontainer':
      return findContainerSource(env, profile)
    case 'ec2instancemetadata':
      if (isMetadataOff(env)) throw toSwitchedOff(profile)
      return toInstanceSource(env, section, profile)
    default:
      return 'unknown'
  }
}

function toSwitchedOff(profile: string): HelperError {
  return new HelperError(
    'not-configured',
    `profile "${profile}" takes its credentials from Ec2InstanceMetadata, which AWS_EC2_METADATA_DISABLED switches off`,
    'unset AWS_EC2_METADATA_DISABLED, or choose another credential_source',
  )
}

/**
 * Locates the instance metadata service: at the endpoint in the environment or the profile, otherwise at its usual address.
 * @throws {HelperError} `not-configured` for an unknown mode.
 */
function toInstanceSource(env: Environment, section: Section = {}, profile?: string): SourceOf<'instance'> {
  const named = env.AWS_EC2_METADATA_SERVICE_ENDPOINT || section.ec2_metadata_service_endpoint
  return { kind: 'instance', profile, endpoint: named || `http://${requireMetadataHost(env, section)}` }
}

function requireMetadataHost(env: Environment, section: Section): string {
  const variable = 'AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE'
  const mode = (env[variable] || section.ec2_metadata_service_endpoint_mode)?.toLowerCase()
  const usesIpv6 = (env.AWS_IMDS_USE_IPV6 || section.imds_use_ipv6)?.toLowerCase() === 'true'
  if (mode === 'ipv6' || (!mode && usesIpv6)) return '[fd00:ec2::254]'
  if (!mode || mode === 'ipv4') return metadataAddress
  const setting = env[variable] ? variable : 'ec2_metadata_service_endpoint_mode'
  throw new HelperError('not-configured', `${setting} is neither IPv4 nor IPv6`, `correct or remove ${setting}`)
}

/** The hosts of Amazon ECS and EKS, which answer over plain HTTP. AWS documentation, "Container credential provider". */
const containerHosts: readonly string[] = ['169.254.170.2', '169.254.170.23', 'fd00:ec2::23']

/**
 * Finds the address of a container's credentials in the environment; `undefined` outside of a container.
 * @throws {HelperError} `not-configured` for a text that is not an address, and for plain http to another machine.
 */
export function findContainerEndpoint(env: Environment): string | undefined {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = env
  if (relative && !relative.startsWith('/'))
    throw toUnusable('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI does not begin with a slash')
  if (relative) return `http://${containerHosts[0]}${relative}`
  if (!full) return undefined
  const url = URL.parse(full)
  if (!isWebAddress(url)) throw toUnusable('AWS_CONTAINER_CREDENTIALS_FULL_URI is not a web address')
  if (isSecureAddress(url) || containerHosts.includes(normalizeHost(url.hostname))) return full
  throw toUnusable(`AWS_CONTAINER_CREDENTIALS_FULL_URI leads to ${url.hostname} over plain http`)
}

/**
 * Reads the token for that address; `undefined` if none is set. Its file takes precedence over its variable.
 * @throws {HelperError} `not-configured` for a token that no request can carry, naming the variable and the file.
 */
export async function readAuthorization(env: Environment): Promise<string | undefined> {
  const { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: path, AWS_CONTAINER_AUTHORIZATION_TOKEN: token = '' } = env
  const text = path ? await readIfPresent(path) : token
  if (text === undefined) throw toUnusable(`AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names ${path}, which does not exist`)
  const owner = path
    ? `${path}, which AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names,`
    : 'AWS_CONTAINER_AUTHORIZATION_TOKEN'
  if (/[\r\n]/.test(text)) throw toUnusable(`${owner} holds a line break, which no request can carry`)
  return text || undefined
}

function toUnusable(message: string): HelperError {
  return new HelperError('not-configured', message, 'leave the variable as the container sets it, or unset it')
}

/** Returns whether this machine may be an EC2 instance. On any other, a request for instance metadata takes seconds in each call. */
export async function mayBeInstance(env: Environment, platform: NodeJS.Platform): Promise<boolean> {
  if (isMetadataOff(env)) return false
  if (env.AWS_EC2_METADATA_SERVICE_ENDPOINT) return true
  if (platform === 'win32') return hasLaunchAgent(env)
  if (platform !== 'linux') return false
  const vendorName = await readText('/sys/class/dmi/id/sys_vendor').catch(() => '') // the file is absent in a container
  return vendorName.includes('Amazon')
}

function isMetadataOff(env: Environment): boolean {
  return env.AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true'
}

/**
 * Returns whether an AWS launch agent is installed: EC2Launch v2, EC2Launch or EC2Config, one of which is on every Windows image of AWS, at
 * the path that AWS documents. Windows has no file that names the maker of the machine. The AWS CLI, and AWS's agents for other machines,
 * are in other folders.
 */
async function hasLaunchAgent(env: Environment): Promise<boolean> {
  const programs = env.ProgramFiles || 'C:\\Program Files'
  const settings = env.ProgramData || 'C:\\ProgramData'
  const folders = [
    join(programs, 'Amazon', 'EC2Launch'),
    join(settings, 'Amazon', 'EC2-Windows', 'Launch'),
    join(programs, 'Amazon', 'Ec2ConfigService'),
  ]
  const found = await Promise.all(folders.map((path) => readStatus(path).catch(() => undefined)))
  return found.some((status) => status?.isDirectory())
}
