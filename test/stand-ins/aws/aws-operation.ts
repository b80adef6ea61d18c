import type { IncomingHttpHeaders } from 'node:http'
import type { AwsIdentities } from './aws-identities.ts'

/** Everything the stand-in can be asked, by the name AWS gives it (the metadata services give none). */
export type AwsOperationName =
  | 'AssumeRole'
  | 'AssumeRoleWithWebIdentity'
  | 'GetCallerIdentity'
  | 'GetWebIdentityToken'
  | 'GetSecretValue'
  | 'GetParameter'
  | 'GetRoleCredentials'
  | 'CreateToken'
  | 'RegisterClient'
  | 'StartDeviceAuthorization'
  | 'CreateOAuth2Token'
  | 'GetContainerCredentials'
  | 'PutMetadataToken'
  | 'ListInstanceRoles'
  | 'GetInstanceCredentials'
  | PageName

/** A page of AWS's sign-in, which has no name of its own. */
type PageName = `${'GET' | 'POST'} /${string}`

export interface AwsRequest {
  method: string
  /** Absolute, on the host that the client named. */
  url: URL
  headers: IncomingHttpHeaders
  body: string
}

/** The state that every service of the stand-in uses. */
export interface AwsWorld {
  /** The services' own clock. */
  now(): Date
  identities: AwsIdentities
}

export interface AwsOperation {
  name: AwsOperationName
  /** How answers and refusals are written. */
  protocol: 'query' | 'json' | 'portal' | 'oidc' | 'sign-in' | 'metadata' | 'page'
  accepts(request: AwsRequest): boolean
  /** The request as the record keeps it, without its signature. */
  parameters(request: AwsRequest): Record<string, string>
  /** A string is sent as it is, anything else in the operation's protocol. @throws {AwsRefusal} */
  answer(request: AwsRequest, parameters: Record<string, string>): unknown
}

/** An error that AWS answers with. `reason` is the console sign-in's `error` member. */
export class AwsRefusal extends Error {
  readonly code: string
  readonly status: number
  readonly reason: string | undefined

  constructor(code: string, status: number, message: string, reason?: string) {
    super(message)
    this.code = code
    this.status = status
    this.reason = reason
  }
}

/** Parses the members of a JSON body as texts; a body that is not a JSON object has none. */
export function parseJsonParameters(body: string): Record<string, string> {
  const value: unknown = parseJson(body)
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, String(member)]))
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
