import { SSOClient } from '@aws-sdk/client-sso'
import { STSClient } from '@aws-sdk/client-sts'
import { SigninClient } from '@aws-sdk/nested-clients/signin'
import { SSOOIDCClient } from '@aws-sdk/nested-clients/sso-oidc'
import { expect, test } from 'vitest'
import type { AwsService, HostVariant } from '../../../src/sources/aws/endpoint-settings.ts'
import { resolveEndpoint } from '../../../src/sources/aws/resolve-endpoint.ts'

const regions = [
  ...['us-east-1', 'ap-southeast-9', 'cn-north-1', 'us-gov-west-1', 'eusc-de-east-1', 'us-iso-east-1'],
  ...['us-isob-east-1', 'eu-isoe-west-1', 'us-isof-south-1', 'xx-nowhere-1'],
]
const variants = [
  { fips: false, dualStack: false },
  { fips: true, dualStack: false },
  { fips: false, dualStack: true },
  { fips: true, dualStack: true },
]

function toHost(service: AwsService, region: string, variant: HostVariant): string {
  return resolveEndpoint({ service, region }, { ...variant, sts: 'regional', configured: {} }).url.host
}

const clients = { sts: STSClient, sso: SSOClient, 'sso-oidc': SSOOIDCClient, signin: SigninClient }
test.each(Object.entries(clients))("the hosts of %s are those of the SDK's own rules", (name, Client) => {
  const service = name as keyof typeof clients
  const { endpointProvider } = new Client({ region: 'us-east-1' }).config
  const cases = regions.flatMap((region) => variants.map((variant) => ({ region, ...variant })))
  const theirs = cases.map(({ region, fips, dualStack }) => {
    const parameters = { Region: region, UseFIPS: fips, UseDualStack: dualStack, UseGlobalEndpoint: false }
    return endpointProvider(parameters).url.host
  })
  expect(cases.map((each) => toHost(service, each.region, each))).toEqual(theirs)
})

// The rules of botocore 1.43; no client of these services is installed.
test.each<[service: AwsService, region: string, hosts: string[]]>([
  [
    'secretsmanager',
    'eu-central-1',
    [
      'secretsmanager.eu-central-1.amazonaws.com',
      'secretsmanager-fips.eu-central-1.amazonaws.com',
      'secretsmanager.eu-central-1.amazonaws.com',
      'secretsmanager-fips.eu-central-1.amazonaws.com',
    ],
  ],
  [
    'secretsmanager',
    'us-gov-west-1',
    [
      'secretsmanager.us-gov-west-1.amazonaws.com',
      'secretsmanager-fips.us-gov-west-1.amazonaws.com',
      'secretsmanager.us-gov-west-1.amazonaws.com',
      'secretsmanager-fips.us-gov-west-1.amazonaws.com',
    ],
  ],
  [
    'secretsmanager',
    'eusc-de-east-1',
    [
      'secretsmanager.eusc-de-east-1.amazonaws.eu',
      'secretsmanager-fips.eusc-de-east-1.amazonaws.eu',
      'secretsmanager.eusc-de-east-1.api.amazonwebservices.eu',
      'secretsmanager-fips.eusc-de-east-1.api.amazonwebservices.eu',
    ],
  ],
  [
    'ssm',
    'cn-north-1',
    [
      'ssm.cn-north-1.amazonaws.com.cn',
      'ssm-fips.cn-north-1.amazonaws.com.cn',
      'ssm.cn-north-1.api.amazonwebservices.com.cn',
      'ssm-fips.cn-north-1.api.amazonwebservices.com.cn',
    ],
  ],
  [
    'ssm',
    'us-gov-east-1',
    [
      'ssm.us-gov-east-1.amazonaws.com',
      'ssm.us-gov-east-1.amazonaws.com',
      'ssm.us-gov-east-1.api.aws',
      'ssm-fips.us-gov-east-1.api.aws',
    ],
  ],
])('the hosts of %s in %s are those of the published rules', (service, region, hosts) => {
  expect(variants.map((variant) => toHost(service, region, variant))).toEqual(hosts)
})
