import type { Environment } from '../../../runtime/environment.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { type AwsService, awsServices } from './aws-services.ts'
import type { HostVariant } from './hosts.ts'

type Section = Readonly<Record<string, string | undefined>>

/** What is read of the AWS files. */
interface EndpointFiles {
  readonly configPath: string
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
    sts: resolveStsEndpoints(places),
    configured: isIgnoring ? {} : findConfiguredEndpoints(places),
  }
}

interface Places {
  readonly name: string
  readonly section: Section
  readonly env: Environment
  readonly files: EndpointFiles
}

/** A setting that has a variable, `AWS_` and its key in capitals. */
function findSetting(key: string, { name, section, env }: Places): ConfiguredEndpoint | undefined {
  const variable = `AWS_${key.toUpperCase()}`
  if (env[variable]) return { text: env[variable], setting: variable }
  const text = section[key]
  return text ? { text, setting: `${key} of profile "${name}"` } : undefined
}

/** The AWS CLI takes everything but `true` for false, so that a misspelt `use_fips_endpoint` would count for nothing. */
function resolveSwitch(key: string, places: Places): boolean {
  const found = findSetting(key, places)
  const text = found?.text.toLowerCase() ?? 'false'
  if (text === 'true' || text === 'false') return text === 'true'
  throw toSettingError(`${found?.setting} is neither true nor false`, found?.setting)
}

function resolveStsEndpoints(places: Places): 'regional' | 'legacy' {
  const found = findSetting('sts_regional_endpoints', places)
  const text = found?.text.toLowerCase() ?? 'regional'
  if (text === 'regional' || text === 'legacy') return text
  throw toSettingError(`${found?.setting} is neither regional nor legacy`, found?.setting)
}

/** The order that AWS documents: variable of the service, variable for all, `services` section, profile. */
function findConfiguredEndpoints(places: Places): EndpointSettings['configured'] {
  const { name, section, env } = places
  const services = findServices(places)
  const found = Object.entries(awsServices).map(([service, { setting: id }]) => {
    const variable = `AWS_ENDPOINT_URL_${id}`
    const key = `${id.toLowerCase()}.endpoint_url`
    const candidates: [text: string | undefined, setting: string][] = [
      [env[variable], variable],
      [env.AWS_ENDPOINT_URL, 'AWS_ENDPOINT_URL'],
      [services[key], `endpoint_url of ${id.toLowerCase()} in [services ${section.services}]`],
      [section.endpoint_url, `endpoint_url of profile "${name}"`],
    ]
    const [text, setting] = candidates.find(([value]) => value) ?? []
    return [service, text && setting && { text, setting }]
  })
  return Object.fromEntries(found.filter(([, endpoint]) => endpoint))
}

function findServices({ name, section, files }: Places): Section {
  if (!section.services) return {}
  if (Object.hasOwn(files.services, section.services)) return files.services[section.services]!
  throw new HelperError(
    'not-configured',
    `profile "${name}" names services "${section.services}", which has no [services ${section.services}]`,
    `add [services ${section.services}] to ${files.configPath}, or remove services from profile "${name}"`,
  )
}

function toSettingError(message: string, setting: string | undefined): HelperError {
  return new HelperError('not-configured', message, `correct or remove ${setting}`)
}
