import type { Environment } from '../../../runtime/environment.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { toConfigurationError } from '../files/configuration-error.ts'
import { describeLocation, locateSetting, type ReadFiles, type SettingLocation } from '../files/locate-setting.ts'
import { type AwsService, awsServices } from './aws-services.ts'
import type { HostVariant } from './hosts.ts'

type Section = Readonly<Record<string, string | undefined>>

/** What is read of the AWS files. */
interface EndpointFiles extends ReadFiles {
  readonly profiles: Readonly<Record<string, Section>>
  readonly services: Readonly<Record<string, Section>>
}

/** An address that a person has set. `setting` is its place, for messages. */
export interface ConfiguredEndpoint {
  readonly text: string
  readonly setting: string
}

/** What decides which addresses of AWS are asked. */
export interface EndpointSettings extends HostVariant {
  /** Whether AWS STS is asked in the region, or in its old regions at the one global host. */
  readonly sts: 'regional' | 'legacy'
  readonly configured: Readonly<Partial<Record<AwsService, ConfiguredEndpoint>>>
}

/**
 * Reads the settings of endpoints as AWS documents them: variables count before the profile that was chosen, and only that
 * one counts, for its whole chain.
 * @throws {HelperError} `not-configured` for a value that has no meaning, and for a `services` section that does not exist.
 */
export function resolveEndpointSettings(
  profile: string | undefined,
  { env, files }: { env: Environment; files: EndpointFiles },
): EndpointSettings {
  const name = profile ?? 'default'
  const section = Object.hasOwn(files.profiles, name) ? files.profiles[name]! : {}
  const places: Places = { name, section, env, files }
  const isIgnoring = resolveSwitch('ignore_configured_endpoint_urls', places)
  return {
    fips: resolveSwitch('use_fips_endpoint', places),
    dualStack: resolveSwitch('use_dualstack_endpoint', places),
    sts: resolveChoice('sts_regional_endpoints', ['regional', 'legacy'], places),
    configured: isIgnoring ? {} : findConfiguredEndpoints(places),
  }
}

interface Places {
  readonly name: string
  readonly section: Section
  readonly env: Environment
  readonly files: EndpointFiles
}

/** The AWS CLI takes everything but `true` for false, so that a misspelt `use_fips_endpoint` would count for nothing. */
function resolveSwitch(key: string, places: Places): boolean {
  return resolveChoice(key, ['false', 'true'], places) === 'true'
}

/** A setting that has a variable, `AWS_` and its key in capitals; without either the first choice. */
function resolveChoice<T extends string>(
  key: string,
  choices: readonly [T, T],
  { name, section, env, files }: Places,
): T {
  const variable = `AWS_${key.toUpperCase()}`
  const text = (env[variable] || section[key] || choices[0]).toLowerCase()
  const chosen = choices.find((choice) => choice === text)
  if (chosen) return chosen
  const what = `is neither ${choices.toSorted().toReversed().join(' nor ')}`
  if (env[variable]) throw new HelperError('not-configured', `${variable} ${what}`, `correct or remove ${variable}`)
  const place = { section: { kind: 'profile', name }, key } as const
  throw toConfigurationError(files, `${key} of profile "${name}" ${what}`, place)
}

/** The order that AWS documents: variable of the service, variable for all, `services` section, profile. */
function findConfiguredEndpoints(places: Places): EndpointSettings['configured'] {
  const services = findServices(places)
  const found = Object.entries(awsServices).map(([service, { setting: id }]) => [
    service,
    findVariable(`AWS_ENDPOINT_URL_${id}`, places) ??
      findVariable('AWS_ENDPOINT_URL', places) ??
      findOfService(id.toLowerCase(), services, places) ??
      findOfProfile(places),
  ])
  return Object.fromEntries(found.filter(([, endpoint]) => endpoint))
}

function findVariable(name: string, { env }: Places): ConfiguredEndpoint | undefined {
  return env[name] ? { text: env[name], setting: name } : undefined
}

function findOfService(service: string, services: Section, { section, files }: Places): ConfiguredEndpoint | undefined {
  const key = `${service}.endpoint_url`
  const text = services[key]
  if (!text) return undefined
  const name = section.services ?? ''
  const line = locateSetting(files, { kind: 'services', name }, key)
  return { text, setting: `endpoint_url of ${service} in [services ${name}]${describeLine(line)}` }
}

function findOfProfile({ name, section, files }: Places): ConfiguredEndpoint | undefined {
  const text = section.endpoint_url
  if (!text) return undefined
  const line = locateSetting(files, { kind: 'profile', name }, 'endpoint_url')
  return { text, setting: `endpoint_url of profile "${name}"${describeLine(line)}` }
}

function describeLine(line: SettingLocation | undefined): string {
  return line ? ` (${describeLocation(line)})` : ''
}

function findServices({ name, section, files }: Places): Section {
  if (!section.services) return {}
  if (Object.hasOwn(files.services, section.services)) return files.services[section.services]!
  const message = `profile "${name}" names services "${section.services}", which has no [services ${section.services}]`
  throw toConfigurationError(files, message, { section: { kind: 'profile', name }, key: 'services' })
}
