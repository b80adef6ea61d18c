/** The services to which requests of ours are made by hand, by the names under which they are signed, and how each is spoken to. */
export const awsApis = {
  sts: { name: 'AWS STS', protocol: 'query', version: '2011-06-15' },
  secretsmanager: { name: 'AWS Secrets Manager', protocol: 'json', target: 'secretsmanager' },
  ssm: { name: 'AWS Systems Manager', protocol: 'json', target: 'AmazonSSM' },
} as const

/** See {@link awsApis}. */
export type AwsApi = keyof typeof awsApis

/** A parameter of an operation. */
export type AwsInput = string | number | boolean | readonly AwsInput[] | { readonly [name: string]: AwsInput }

/** One operation of a service. It changes nothing there, so that it may be sent again. */
export interface AwsOperation {
  readonly api: AwsApi
  readonly name: string
  readonly input: Readonly<Record<string, AwsInput>>
  /** `regional` for one that the global host of AWS STS does not have; absent, the settings of endpoints decide. */
  readonly host?: 'regional'
}

/** A service and its region, as messages name them. */
export function describeApi(api: AwsApi, { region }: { readonly region: string }): string {
  return `${awsApis[api].name} in ${region}`
}
