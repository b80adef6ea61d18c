import { type Partition, partitions } from './partitions.ts'

/** The beginnings of the host names of AWS STS, without and with FIPS. Source: the endpoint rules of botocore 1.43. */
export const stsNames = { host: 'sts', fipsHost: 'sts-fips' } as const

/** The global host, which exists only in the commercial partition, and the signing region of requests to it. */
export const globalSts = { host: 'sts.amazonaws.com', region: 'us-east-1', partition: 'aws' } as const

/**
 * Finds the facts about a host of AWS STS in AWS's spelling: regional, FIPS, dual-stack or global; `undefined` for any other text, and for
 * a host of another partition than the given ones.
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

interface StsHost {
  /** The id of its partition. */
  readonly partition: string
  /** The signing region of requests to it. */
  readonly region: string
}
