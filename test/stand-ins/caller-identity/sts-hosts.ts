/** The hosts of AWS STS in each partition, usual, FIPS and dual-stack. Endpoint rules of AWS STS; not those of our sources. */
const hosts = {
  aws: /^sts\.amazonaws\.com$|^sts(-fips)?\.(?!cn-|us-gov-|us-iso|eusc-|eu-isoe-)[a-z]+(-[a-z]+)+-\d\.(amazonaws\.com|api\.aws)$/,
  'aws-cn': /^sts(-fips)?\.cn-[a-z]+-\d\.(amazonaws\.com\.cn|api\.amazonwebservices\.com\.cn)$/,
  'aws-us-gov': /^sts(-fips)?\.us-gov-[a-z]+-\d\.(amazonaws\.com|api\.aws)$/,
  'aws-iso': /^sts(-fips)?\.us-iso-[a-z]+-\d\.c2s\.ic\.gov$/,
  'aws-iso-b': /^sts(-fips)?\.us-isob-[a-z]+-\d\.sc2s\.sgov\.gov$/,
} as const

export type PartitionName = keyof typeof hosts

export function isStsHost(host: string, partition: PartitionName): boolean {
  return hosts[partition].test(host)
}
