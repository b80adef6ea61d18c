import { audience } from './print-tokens.ts'

interface TrustedIssuers {
  /** The issuers of the tokens of people and batch jobs. */
  readonly issuers: readonly string[]
  /** The issuer of the identity tokens of an AWS account. */
  readonly awsIssuer: string
}

/** Renders the policy of the stage: the header `x-user` names whoever passes, `x-account` their account of AWS. */
export function renderPolicy({ issuers, awsIssuer }: TrustedIssuers): string {
  const policy = {
    issuers: [...issuers, awsIssuer].map((issuer) => ({ issuer, audiences: [audience.jwt] })),
    aws: { audience: audience.aws },
    rules: [
      ...issuers.flatMap((issuer, number) => [
        { name: `people-${number}`, issuer, claims: { groups: ['ai-*'] }, headers: { 'x-user': '{email}' } },
        { name: `batch-${number}`, issuer, claims: { sub: ['batch-*'] }, headers: { 'x-user': '{sub}' }, use: 'once' },
      ]),
      {
        name: 'workloads',
        issuer: awsIssuer,
        claims: { '[https://sts.amazonaws.com/].aws_account': [account] },
        headers: { 'x-user': '{sub}', 'x-account': '{[https://sts.amazonaws.com/].aws_account}' },
      },
      { name: 'aws', aws: { accounts: [account] }, headers: { 'x-user': '{arn}', 'x-account': '{account}' } },
    ],
  }
  return `${JSON.stringify(policy, undefined, 2)}\n`
}

const account = '111122223333'
