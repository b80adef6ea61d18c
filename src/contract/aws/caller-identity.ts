/** The request to AWS STS that proves an identity. */
export const callerIdentityAction = { Action: 'GetCallerIdentity', Version: '2011-06-15' } as const

/** The XML namespace of an answer to it. */
export const stsNamespace = `https://sts.amazonaws.com/doc/${callerIdentityAction.Version}/`

/** How long AWS STS accepts a signed request after its date, in seconds, whatever `X-Amz-Expires` is (observed in its messages). */
export const proofLifeSec = 900

/** The longest proof in the form of a URL that aws-iam-authenticator accepts, in bytes. */
export const longestUrlProofBytes = 4096

/** The forms of a proof for the servers that read them: aws-iam-authenticator, and the AWS login of Vault. */
export const proofForms = {
  url: { audienceHeader: 'x-k8s-aws-id', prefix: 'k8s-aws-v1.', endpoint: 'regional' },
  vault: { audienceHeader: 'X-Vault-AWS-IAM-Server-ID', prefix: '', endpoint: 'global' },
} as const

/** A form of a proof: a signed URL, or the fields of a login of Vault. */
export type ProofForm = keyof typeof proofForms

/** The number of an AWS account. */
export const accountPattern = /^\d{12}$/

/** The parts of the ARN of a caller. */
interface AwsPrincipal {
  readonly account?: string
  /** The name of the role, for an assumed role only. */
  readonly role?: string
  /** The name that the session of an assumed role was given. */
  readonly sessionName?: string
}

/**
 * Parses an ARN from `GetCallerIdentity`: a user, the root of an account, a federated user, or the session of an assumed role (AWS
 * documentation, "IAM identifiers").
 */
export function parsePrincipal(arn: string): AwsPrincipal {
  const [, , service, , account, ...resource] = arn.split(':')
  const [kind, role, ...session] = resource.join(':').split('/')
  const isSession = service === 'sts' && kind === 'assumed-role' && session.length > 0
  return {
    ...(account && { account }),
    ...(isSession && role !== undefined && { role, sessionName: session.join('/') }),
  }
}
