import { selectPartition } from '../../../contract/aws-partitions.ts'
import { type AwsService, awsServices } from './aws-services.ts'

/** Which of a service's hosts are asked. */
export interface HostVariant {
  readonly fips: boolean
  readonly dualStack: boolean
}

/** The host that AWS itself has for a service in a region. */
export function toAwsHost(
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

/**
 * The host that a short-term service key is signed for, such as `bedrock.amazonaws.com`: one for all regions of a partition.
 * Settings of endpoints do not count, because nothing is sent to it; the service compares the signature with this name.
 */
export function toKeyHost(service: string, region: string): string {
  return `${service}.${selectPartition(region).suffix}`
}
