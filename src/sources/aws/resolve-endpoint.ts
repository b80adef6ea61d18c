import { selectPartition } from '../../contract/aws/partitions.ts'
import { globalSts } from '../../contract/aws/sts-hosts.ts'
import { HelperError } from '../../runtime/failure.ts'
import { isWebAddress, refusePlainHttp } from '../../runtime/network/addresses.ts'
import {
  type AwsService,
  awsServices,
  type ConfiguredEndpoint,
  type EndpointSettings,
  type HostVariant,
} from './endpoint-settings.ts'

/** The address of an AWS service, and the region in signatures for it. */
export interface Endpoint {
  /** The base address. A configured address may have a path, which comes before the path of a request. */
  readonly url: URL
  /** The region for which a request is signed: the service's, except at the global host of AWS STS. */
  readonly region: string
}

/**
 * Resolves the endpoint of an AWS service in a region: the configured one; else the global one of STS if the settings ask for it; else the
 * regional one.
 * @throws {HelperError} `not-configured` for a configured text that is not an address, and for plain `http` to another machine.
 */
export function resolveEndpoint(
  request: { service: AwsService; region: string },
  settings: EndpointSettings,
): Endpoint {
  const { service, region } = request
  const configured = settings.configured[service]
  if (configured) return { url: parseConfigured(service, configured, settings), region }
  if (service === 'sts' && isAskedGlobally(region, settings))
    return { url: new URL(`https://${globalSts.host}`), region: globalSts.region }
  return { url: new URL(`https://${toAwsHost(request, settings)}`), region }
}

/** Joins the base address of an endpoint and the path of a request. */
export function joinPath({ url }: Endpoint, path: string): URL {
  return new URL(`${url.pathname.replace(/\/$/, '')}/${path}`, url)
}

function parseConfigured(
  service: AwsService,
  { text, setting }: ConfiguredEndpoint,
  { fips, dualStack }: EndpointSettings,
): URL {
  if (fips || dualStack)
    throw new HelperError(
      'not-configured',
      `${setting} sets an address, and ${fips ? 'use_fips_endpoint' : 'use_dualstack_endpoint'} another`,
      `remove one of the two; AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true sets ${setting} aside`,
    )
  const url = URL.parse(text)
  if (!isWebAddress(url))
    throw new HelperError(
      'not-configured',
      `${setting} is not a web address`,
      `set it to an address such as https://${awsServices[service].host}.eu-central-1.amazonaws.com, or remove it`,
    )
  refusePlainHttp(url, setting)
  return url
}

function isAskedGlobally(region: string, { sts, fips, dualStack }: EndpointSettings): boolean {
  if (fips || dualStack) return false
  return region === 'aws-global' || (sts === 'legacy' && legacyStsRegions.includes(region))
}

/** The regions that AWS STS had when one host served all regions (endpoint rules of botocore 1.43). */
const legacyStsRegions: readonly string[] = [
  'ap-northeast-1 ap-south-1 ap-southeast-1 ap-southeast-2 ca-central-1 eu-central-1 eu-north-1 eu-west-1 eu-west-2',
  'eu-west-3 sa-east-1 us-east-1 us-east-2 us-west-1 us-west-2',
].flatMap((line) => line.split(' '))

/** Derives AWS's own host for a service in a region. */
function toAwsHost(
  { service, region }: { service: AwsService; region: string },
  { fips, dualStack }: HostVariant,
): string {
  const { id, suffix, dualStackSuffix, signInSuffix, signInFipsHost } = selectPartition(region)
  if (service === 'signin' && !dualStack && !fips) return `${region}.${signInSuffix}`
  if (service === 'signin' && !dualStack && signInFipsHost) return signInFipsHost
  const names: (typeof awsServices)[AwsService] = awsServices[service]
  const fipsHost = id === 'aws-us-gov' && !dualStack ? names.govCloudFipsHost : names.fipsHost
  const isUsual = !dualStack || names.dualStackAsUsual.some((partition) => partition === id)
  return `${fips ? fipsHost : names.host}.${region}.${isUsual ? suffix : dualStackSuffix}`
}

/** The address on this machine to which AWS sends a browser back, as in the AWS CLI. Its port is free (RFC 8252, section 7.3). */
export const awsListener = { hosts: ['127.0.0.1'], path: '/oauth/callback' } as const
