/** The parts of the ARN of a caller. */
export interface AwsPrincipal {
  readonly account?: string
  /** The name of an assumed role. */
  readonly role?: string
  /** The name of its session. */
  readonly sessionName?: string
}

/**
 * Parses an ARN as `GetCallerIdentity` gives it: a user, the root of an account, a federated user, or the session of an assumed
 * role. AWS documentation, "IAM identifiers".
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
