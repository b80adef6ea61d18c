import { encodeClientCredentials } from '../../../runtime/network/client-credentials.ts'
import { formType } from '../../../runtime/network/server-request.ts'
import { Secret } from '../../../runtime/secret.ts'

/** Encodes a request as a form (RFC 6749, appendix B), with the client's authentication (section 2.3.1). */
export function encodeGrantRequest({ parameters, client, endpoint }: GrantRequest): EncodedRequest {
  const form = new URLSearchParams()
  for (const [name, value] of parameters) form.append(name, toText(value))
  const headers = { 'content-type': formType, accept: 'application/json' }
  const { id, secret } = client
  if (id === undefined) return { headers, body: form.toString() }
  const isBasic = secret !== undefined && chooseAuthentication(client, endpoint.authMethods) === 'basic'
  if (isBasic)
    return { headers: { ...headers, authorization: encodeClientCredentials(id, secret) }, body: form.toString() }
  form.append('client_id', id)
  if (secret !== undefined) form.append('client_secret', secret.reveal())
  return { headers, body: form.toString() }
}

/** A request's headers and its body, as they are sent. */
interface EncodedRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function toText(value: string | Secret): string {
  return value instanceof Secret ? value.reveal() : value
}

/**
 * Chooses how the client authenticates. Every server has to support Basic (RFC 6749, section 2.3.1), and it is the default of metadata (RFC
 * 8414, section 2).
 */
function chooseAuthentication(client: GrantClient, methods: readonly string[] | undefined): 'basic' | 'post' {
  if (client.authentication !== undefined) return client.authentication
  const isPostOnly = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic')
  return isPostOnly ? 'post' : 'basic'
}

/** Collects the secrets in a request, because no message may repeat one from the answer. */
export function collectSecrets({ parameters, client }: Pick<GrantRequest, 'parameters' | 'client'>): string[] {
  const secrets = [...parameters.map(([, value]) => value), client.secret]
  return secrets.flatMap((value) => (value instanceof Secret ? [value.reveal()] : []))
}

/** A token endpoint, and its server's metadata. */
export interface TokenEndpoint {
  readonly url: URL
  /** The option with the endpoint, for hints. */
  readonly setting: string
  /** `token_endpoint_auth_methods_supported` (RFC 8414, section 2), if metadata was read and has it. */
  readonly authMethods?: readonly string[] | undefined
}

/** A client with its secret. */
export interface GrantClient {
  readonly id: string | undefined
  readonly secret?: Secret | undefined
  readonly authentication?: 'basic' | 'post' | undefined
}

/** A request to a token endpoint that exchanges one token for another (RFC 6749, section 4.5). */
export interface GrantRequest {
  readonly endpoint: TokenEndpoint
  /** In the order in which they are sent, with the grant type first. A name may be repeated (RFC 8693, section 2.1). */
  readonly parameters: readonly (readonly [name: string, value: string | Secret])[]
  readonly client: GrantClient
  /** The name of the exchanged token in messages. */
  readonly token: string
  /** Whether the token comes from a person's sign-in, or a server issued it in the step before. */
  readonly origin: 'sign-in' | 'exchange'
  /** Whether the request may be sent twice. An assertion may be valid for one use (RFC 7523, section 3, jti). */
  readonly isIdempotent: boolean
}
