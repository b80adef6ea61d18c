/** A part of AWS with accounts and host names of its own. */
export interface Partition {
  readonly id: string
  /** Matches the names of its regions, future ones included. */
  readonly regions: RegExp
  /** The end of its host names. */
  readonly suffix: string
  /** The end of dual-stack host names, which have IPv4 and IPv6 addresses. */
  readonly dualStackSuffix: string
  /** The end of the hosts of the console's sign-in, after the region. */
  readonly signInSuffix: string
  /** The only FIPS host of that sign-in, in a partition that does not have one for each region. */
  readonly signInFipsHost?: string
}

const commercial: Partition = {
  id: 'aws',
  regions: /^(us|eu|ap|sa|ca|me|af|il|mx)-\w+-\d+$/,
  suffix: 'amazonaws.com',
  dualStackSuffix: 'api.aws',
  signInSuffix: 'signin.aws.amazon.com',
}

/** Every partition, from the data of botocore 1.43 and the endpoint rules of the JavaScript SDK 3.1169. */
export const partitions: readonly Partition[] = [
  commercial,
  {
    id: 'aws-cn',
    regions: /^cn-\w+-\d+$/,
    suffix: 'amazonaws.com.cn',
    dualStackSuffix: 'api.amazonwebservices.com.cn',
    signInSuffix: 'signin.amazonaws.cn',
  },
  {
    id: 'aws-us-gov',
    regions: /^us-gov-\w+-\d+$/,
    suffix: 'amazonaws.com',
    dualStackSuffix: 'api.aws',
    signInSuffix: 'signin.amazonaws-us-gov.com',
    signInFipsHost: 'signin-fips.amazonaws-us-gov.com',
  },
  {
    id: 'aws-eusc',
    regions: /^eusc-de-\w+-\d+$/,
    suffix: 'amazonaws.eu',
    dualStackSuffix: 'api.amazonwebservices.eu',
    signInSuffix: 'signin.amazonaws-eusc.eu',
  },
  {
    id: 'aws-iso',
    regions: /^us-iso-\w+-\d+$/,
    suffix: 'c2s.ic.gov',
    dualStackSuffix: 'api.aws.ic.gov',
    signInSuffix: 'signin.c2shome.ic.gov',
  },
  {
    id: 'aws-iso-b',
    regions: /^us-isob-\w+-\d+$/,
    suffix: 'sc2s.sgov.gov',
    dualStackSuffix: 'api.aws.scloud',
    signInSuffix: 'signin.sc2shome.sgov.gov',
  },
  {
    id: 'aws-iso-e',
    regions: /^eu-isoe-\w+-\d+$/,
    suffix: 'cloud.adc-e.uk',
    dualStackSuffix: 'api.cloud-aws.adc-e.uk',
    signInSuffix: 'signin.csphome.adc-e.uk',
  },
  {
    id: 'aws-iso-f',
    regions: /^us-isof-\w+-\d+$/,
    suffix: 'csp.hci.ic.gov',
    dualStackSuffix: 'api.aws.hci.ic.gov',
    signInSuffix: 'signin.csphome.hci.ic.gov',
  },
]

/** Selects the partition of a region; the commercial one for an unknown region, as in the AWS tools. */
export function selectPartition(region: string): Partition {
  return partitions.find(({ regions }) => regions.test(region)) ?? commercial
}
