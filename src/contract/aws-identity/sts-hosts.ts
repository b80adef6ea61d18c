import { type Partition, partitions } from '../aws-partitions.ts'

/** What the hosts of AWS STS begin with: the usual ones, and those with FIPS. Endpoint rules of botocore 1.43. */
export const stsNames = { host: 'sts', fipsHost: 'sts-fips' } as const

/** The one host for all regions, which there is in the commercial partition alone, and the region that it has requests signed for. */
export const globalSts = { host: 'sts.amazonaws.com', region: 'us-east-1', partition: 'aws' } as const

/** A host of AWS STS. */
export interface StsHost {
  /** The id of its partition. */
  readonly partition: string
  /** The region that requests to it are signed for. */
  readonly region: string
}

/**
 * What a host of AWS STS is, spelled as AWS spells it: usual, FIPS, dual-stack or global; `undefined` for any other text, and
 * for a host of another partition than those given.
 */
export function findStsHost(host: string, partitionIds: readonly string[]): StsHost | undefined {
  const accepted = partitions.filter(({ id }) => partitionIds.includes(id))
  if (host === globalSts.host) return accepted.some(({ id }) => id === globalSts.partition) ? globalSts : undefined
  const [, name, region = '', suffix] = /^([a-z-]+)\.([a-z]+(?:-[a-z]+)+-\d{1,2})\.([a-z0-9.-]+)$/.exec(host) ?? []
  if (name !== stsNames.host && name !== stsNames.fipsHost) return undefined
  const isOf = (row: Partition) => row.regions.test(region) && (row.suffix === suffix || row.dualStackSuffix === suffix)
  const partition = accepted.find(isOf)
  return partition && { partition: partition.id, region }
}
