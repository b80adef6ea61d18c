// Resolves the settings that change AWS's hosts; `resolve-endpoint.ts` makes the address of a service from them.

import { stsNames } from '../../contract/aws/sts-hosts.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { findNearestName } from '../../runtime/text/nearest-name.ts'
import { findSection, type Section } from './files/aws-files.ts'
import { describeOrigin, type ReadFiles, toConfigurationError } from './files/locate-setting.ts'

/** A configured address. `setting` is the location of the setting, for messages. */
export interface ConfiguredEndpoint {
  readonly text: string
  readonly setting: string
}

/** The settings that decide to which addresses of AWS requests are sent. */
export interface EndpointSettings extends HostVariant {
  /** Whether requests to AWS STS go to the region, or, in the old regions, to the global host. */
  readonly sts: 'regional' | 'legacy'
  readonly configured: Readonly<Partial<Record<AwsService, ConfiguredEndpoint>>>
}

/**
 * Resolves the settings of endpoints in the order that AWS documents ("AWS STS Regional endpoints", "Service-specific endpoints"): the
 * variable, else the chosen profile, else the default. In a chain of profiles only the chosen one counts.
 * @throws {HelperError} `not-configured` for a value that has no meaning, and for a `services` section that does not exist.
 */
export function resolveEndpointSettings(
  profile: string | undefined,
  { env, files }: { env: Environment; files: EndpointFiles },
): EndpointSettings {
  const name = profile ?? 'default'
  const sources: EndpointSources = { name, section: findSection(files.profiles, name) ?? {}, env, files }
  const isIgnoring = resolveSwitch('ignore_configured_endpoint_urls', sources)
  return {
    fips: resolveSwitch('use_fips_endpoint', sources),
    dualStack: resolveSwitch('use_dualstack_endpoint', sources),
    sts: resolveChoice('sts_regional_endpoints', ['regional', 'legacy'], sources),
    configured: isIgnoring ? {} : resolveConfiguredEndpoints(sources),
  }
}

/** The part of the AWS files that endpoints need. */
interface EndpointFiles extends ReadFiles {
  readonly profiles: Readonly<Record<string, Section>>
  readonly services: Readonly<Record<string, Section>>
}

interface EndpointSources {
  readonly name: string
  readonly section: Section
  readonly env: Environment
  readonly files: EndpointFiles
}

/**
 * Resolves a switch in the order of {@link resolveChoice}: from its variable, else from the profile, else false. A misspelled value is
 * refused, although the AWS CLI takes it as false.
 */
function resolveSwitch(key: string, sources: EndpointSources): boolean {
  return resolveChoice(key, ['false', 'true'], sources) === 'true'
}

/**
 * Resolves a setting in lower case: from its variable, which is `AWS_` and its key in capitals; else from its key in the profile; else the
 * first choice.
 * @throws {HelperError} `not-configured` that names the location of a value that is neither choice.
 */
function resolveChoice<T extends string>(
  key: string,
  choices: readonly [T, T],
  { name, section, env, files }: EndpointSources,
): T {
  const variable = `AWS_${key.toUpperCase()}`
  const text = (env[variable] || section[key] || choices[0]).toLowerCase()
  const chosen = choices.find((choice) => choice === text)
  if (chosen) return chosen
  const what = `is neither ${choices.toSorted().toReversed().join(' nor ')}`
  if (env[variable]) throw new HelperError('not-configured', `${variable} ${what}`, `correct or remove ${variable}`)
  const location = { section: { kind: 'profile', name }, key } as const
  throw toConfigurationError(files, `${key} of profile "${name}" ${what}`, location)
}

/**
 * Resolves configured addresses in the order that AWS documents ("Service-specific endpoints"): variable of the service, variable for all,
 * `services` section, profile.
 */
function resolveConfiguredEndpoints(sources: EndpointSources): EndpointSettings['configured'] {
  const services = requireServices(sources)
  const found = Object.entries(awsServices).map(([service, { setting: id }]) => [
    service,
    findVariable(`AWS_ENDPOINT_URL_${id}`, sources) ??
      findVariable('AWS_ENDPOINT_URL', sources) ??
      findOfService(id.toLowerCase(), services, sources) ??
      findOfProfile(sources),
  ])
  return Object.fromEntries(found.filter(([, endpoint]) => endpoint))
}

function requireServices({ name, section, files }: EndpointSources): Section {
  if (!section.services) return {}
  const services = findSection(files.services, section.services)
  if (services) return services
  const message = `profile "${name}" names services "${section.services}", which has no [services ${section.services}]`
  throw toConfigurationError(files, message, { section: { kind: 'profile', name }, key: 'services' })
}

function findVariable(name: string, { env }: EndpointSources): ConfiguredEndpoint | undefined {
  return env[name] ? { text: env[name], setting: name } : undefined
}

function findOfService(
  service: string,
  services: Section,
  { section, files }: EndpointSources,
): ConfiguredEndpoint | undefined {
  const key = `${service}.endpoint_url`
  const text = services[key]
  if (!text) return undefined
  const name = section.services ?? ''
  const origin = describeOrigin(files, { kind: 'services', name }, key)
  return { text, setting: `endpoint_url of ${service} in [services ${name}]${origin}` }
}

function findOfProfile({ name, section, files }: EndpointSources): ConfiguredEndpoint | undefined {
  const text = section.endpoint_url
  if (!text) return undefined
  const origin = describeOrigin(files, { kind: 'profile', name }, 'endpoint_url')
  return { text, setting: `endpoint_url of profile "${name}"${origin}` }
}

/** The kind of AWS hosts to which requests are sent. */
export interface HostVariant {
  readonly fips: boolean
  readonly dualStack: boolean
}

/** Describes how settings change AWS's usual hosts, one line each, for `--explain`; empty if they change nothing. */
export function describeEndpoints({ fips, dualStack, sts, configured }: EndpointSettings): string[] {
  const kinds = [...(fips ? ['FIPS'] : []), ...(dualStack ? ['dual-stack'] : [])]
  return [
    ...(kinds.length > 0 ? [`${kinds.join(' and ')} hosts of AWS`] : []),
    ...(sts === 'legacy' ? ['the global host of AWS STS, in its old regions'] : []),
    ...describeConfigured(configured),
  ]
}

/** Describes configured addresses. Services with the same setting share a line. */
function describeConfigured(configured: EndpointSettings['configured']): string[] {
  const entries = Object.entries(configured) as [AwsService, ConfiguredEndpoint][] // the keys of the record
  const bySetting = Map.groupBy(entries, ([, { setting }]) => setting)
  return [...bySetting].map(([setting, found]) => {
    const isForAll = found.length === Object.keys(awsServices).length
    const services = isForAll ? 'every service' : found.map(([service]) => awsServices[service].setting).join(', ')
    return `${services} at ${renderAddress(found[0]?.[1].text ?? '')}, by ${setting}`
  })
}

/** Renders an address without user, password and query, which may be secrets. */
function renderAddress(text: string): string {
  const { protocol, host, pathname } = URL.parse(text) ?? {}
  return host ? `${protocol}//${host}${pathname === '/' ? '' : pathname}` : 'an unreadable address'
}

/** The beginning of a service's host names, and the service's name in settings. Source: the endpoint rules of botocore 1.43. */
interface AwsServiceNames {
  /** The end of the variable `AWS_ENDPOINT_URL_…`; in lower case the key in a `services` section. */
  readonly setting: string
  readonly host: string
  readonly fipsHost: string
  /** In GovCloud the usual hosts of some services are FIPS hosts. */
  readonly govCloudFipsHost: string
  /** Partitions in which the usual host has addresses of both kinds, so that there is no other for dual-stack. */
  readonly dualStackAsUsual: readonly string[]
}

/** The services that are called with a base address, by the names under which requests to them are signed. */
export const awsServices = {
  sts: { setting: 'STS', ...stsNames, govCloudFipsHost: stsNames.host, dualStackAsUsual: [] },
  sso: {
    setting: 'SSO',
    host: 'portal.sso',
    fipsHost: 'portal.sso-fips',
    govCloudFipsHost: 'portal.sso',
    dualStackAsUsual: [],
  },
  'sso-oidc': {
    setting: 'SSO_OIDC',
    host: 'oidc',
    fipsHost: 'oidc-fips',
    govCloudFipsHost: 'oidc',
    dualStackAsUsual: [],
  },
  signin: {
    setting: 'SIGNIN',
    host: 'signin',
    fipsHost: 'signin-fips',
    govCloudFipsHost: 'signin-fips',
    dualStackAsUsual: [],
  },
  secretsmanager: {
    setting: 'SECRETS_MANAGER',
    host: 'secretsmanager',
    fipsHost: 'secretsmanager-fips',
    govCloudFipsHost: 'secretsmanager-fips',
    dualStackAsUsual: ['aws', 'aws-cn', 'aws-us-gov'],
  },
  ssm: { setting: 'SSM', host: 'ssm', fipsHost: 'ssm-fips', govCloudFipsHost: 'ssm', dualStackAsUsual: [] },
} as const satisfies Record<string, AwsServiceNames>

/** A service of AWS that this suite calls. */
export type AwsService = keyof typeof awsServices

/** Returns whether a text has the form of a region's name. Names become a part of host names. */
export function isRegionName(text: string): boolean {
  return /^(?=.*[a-z])[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)
}

/**
 * Describes a region that AWS did not have when this version was built; `undefined` for a known region. An unknown region is not a failure,
 * because AWS opens new ones.
 */
export function describeUnknownRegion(region: string): string | undefined {
  if (knownRegions.includes(region)) return undefined
  const near = findNearestName(region, knownRegions)
  const advice = near === undefined ? regionHint : `did you mean ${near}?`
  return `AWS has no region "${region}" that this version knows; unless it is a new one, no token will work there: ${advice}`
}

/** The regions of every partition, from the list in the AWS SDK; a test compares the two. */
const knownRegions: readonly string[] = [
  'af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2',
  'ap-southeast-1 ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6 ap-southeast-7',
  'ca-central-1 ca-west-1 eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3',
  'il-central-1 me-central-1 me-south-1 me-west-1 mx-central-1 sa-east-1 sa-west-1',
  'us-east-1 us-east-2 us-west-1 us-west-2 us-gov-east-1 us-gov-west-1',
  'cn-north-1 cn-northwest-1 eusc-de-east-1',
  'us-iso-east-1 us-iso-west-1 us-isob-east-1 us-isob-west-1 eu-isoe-west-1 us-isof-east-1 us-isof-south-1',
].flatMap((line) => line.split(' '))

/** The hint for a text that is not the name of a region. */
export const regionHint = 'set a region such as eu-central-1'
