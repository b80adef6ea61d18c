import { type AwsService, awsServices } from './aws-services.ts'
import type { ConfiguredEndpoint, EndpointSettings } from './endpoint-settings.ts'

/** What settings make of AWS's usual hosts, one line each, for `--explain`; none where they change nothing. */
export function describeEndpoints({ fips, dualStack, sts, configured }: EndpointSettings): string[] {
  const kinds = [...(fips ? ['FIPS'] : []), ...(dualStack ? ['dual-stack'] : [])]
  return [
    ...(kinds.length > 0 ? [`${kinds.join(' and ')} hosts of AWS`] : []),
    ...(sts === 'legacy' ? ['the global host of AWS STS, in its old regions'] : []),
    ...describeConfigured(configured),
  ]
}

/** Services with the same setting share a line. */
function describeConfigured(configured: EndpointSettings['configured']): string[] {
  const entries = Object.entries(configured) as [AwsService, ConfiguredEndpoint][] // what it is a record of
  const bySetting = Map.groupBy(entries, ([, { setting }]) => setting)
  return [...bySetting].map(([setting, found]) => {
    const isForAll = found.length === Object.keys(awsServices).length
    const services = isForAll ? 'every service' : found.map(([service]) => awsServices[service].setting).join(', ')
    return `${services} at ${renderAddress(found[0]?.[1].text ?? '')}, by ${setting}`
  })
}

/** Without user, password and query, which may be secrets. */
function renderAddress(text: string): string {
  const { protocol, host, pathname } = URL.parse(text) ?? {}
  return host ? `${protocol}//${host}${pathname === '/' ? '' : pathname}` : 'an unreadable address'
}
