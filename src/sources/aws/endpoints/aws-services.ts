import { stsNames } from '../../../contract/aws-identity/sts-hosts.ts'

/** What the host names of one service begin with, and the name that its settings have. Endpoint rules of botocore 1.43. */
interface AwsServiceNames {
  /** The end of the variable `AWS_ENDPOINT_URL_…`; in lower case the key in a `services` section. */
  readonly setting: string
  readonly host: string
  readonly fipsHost: string
  /** In GovCloud, where the hosts of some services are FIPS hosts without saying so. */
  readonly govCloudFipsHost: string
  /** Partitions in which the usual host has addresses of both kinds, so that there is no other for dual-stack. */
  readonly dualStackAsUsual: readonly string[]
}

/** The services that are called with a base address, by the names under which requests to them are signed. */
export const awsServices = {
  sts: { setting: 'STS', ...stsNames, govCloudFipsHost: stsNames.host, dualStackAsUsual: [] },
  sso: {
    setting: 'SSO',
    host: 'portal.sso',
    fipsHost: 'portal.sso-fips',
    govCloudFipsHost: 'portal.sso',
    dualStackAsUsual: [],
  },
  'sso-oidc': {
    setting: 'SSO_OIDC',
    host: 'oidc',
    fipsHost: 'oidc-fips',
    govCloudFipsHost: 'oidc',
    dualStackAsUsual: [],
  },
  signin: {
    setting: 'SIGNIN',
    host: 'signin',
    fipsHost: 'signin-fips',
    govCloudFipsHost: 'signin-fips',
    dualStackAsUsual: [],
  },
  secretsmanager: {
    setting: 'SECRETS_MANAGER',
    host: 'secretsmanager',
    fipsHost: 'secretsmanager-fips',
    govCloudFipsHost: 'secretsmanager-fips',
    dualStackAsUsual: ['aws', 'aws-cn', 'aws-us-gov'],
  },
  ssm: { setting: 'SSM', host: 'ssm', fipsHost: 'ssm-fips', govCloudFipsHost: 'ssm', dualStackAsUsual: [] },
} as const satisfies Record<string, AwsServiceNames>

/** A service of AWS that this suite calls. */
export type AwsService = keyof typeof awsServices
