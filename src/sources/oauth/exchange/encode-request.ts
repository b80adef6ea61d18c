import { Secret } from '../../../runtime/secret.ts'
import type { GrantClient, GrantRequest } from './grant-request.ts'

/** A request's headers and its body, as they are sent. */
interface EncodedRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Encodes a request as a form (RFC 6749, appendix B), with the client's authentication (section 2.3.1). */
export function encodeGrantRequest({ parameters, client, endpoint }: GrantRequest): EncodedRequest {
  const form = new URLSearchParams()
  for (const [name, value] of parameters) form.append(name, toText(value))
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
  const { id, secret } = client
  if (id === undefined) return { headers, body: form.toString() }
  const isBasic = secret !== undefined && chooseAuthentication(client, endpoint.authMethods) === 'basic'
  if (isBasic) return { headers: { ...headers, authorization: encodeBasic(id, secret) }, body: form.toString() }
  form.append('client_id', id)
  if (secret !== undefined) form.append('client_secret', secret.reveal())
  return { headers, body: form.toString() }
}

/** Basic is what every server has to support (RFC 6749, section 2.3.1), and what metadata means that says nothing of it (RFC 8414). */
function chooseAuthentication(client: GrantClient, methods: readonly string[] | undefined): 'basic' | 'post' {
  if (client.authentication !== undefined) return client.authentication
  const isPostOnly = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic')
  return isPostOnly ? 'post' : 'basic'
}

/** Both are encoded as in a form before they are joined by the colon, which they may contain. */
function encodeBasic(id: string, secret: Secret): string {
  const [user, password] = [id, secret.reveal()].map((text) => new URLSearchParams({ '': text }).toString().slice(1))
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

function toText(value: string | Secret): string {
  return value instanceof Secret ? value.reveal() : value
}

/** Every secret in a request, so that none of them is repeated from its answer. */
export function collectSecrets({ parameters, client }: Pick<GrantRequest, 'parameters' | 'client'>): string[] {
  const secrets = [...parameters.map(([, value]) => value), client.secret]
  return secrets.flatMap((value) => (value instanceof Secret ? [value.reveal()] : []))
}
