import type { Challenge } from './challenge.ts'

/** The metadata of a server and of its authorization server. */
export interface Protection {
  /** RFC 8707; `undefined` for a server that describes itself in no metadata. */
  readonly resource: string | undefined
  readonly scopes: readonly string[] | undefined
  readonly issuer: string
}

interface ResourceMetadata {
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly scopes_supported?: readonly string[]
}

/** Fetches the metadata of a protected resource (RFC 9728); the server itself authorizes where it has none (MCP 2025-03-26). */
export async function fetchProtection(server: string, { metadata }: Challenge): Promise<Protection> {
  const { origin, pathname } = new URL(server)
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`
  const found = await fetchFirst<ResourceMetadata>(metadata ? [metadata] : [`${wellKnown}${pathname}`, wellKnown])
  if (!found) return { resource: undefined, scopes: undefined, issuer: origin }
  const { resource, scopes_supported: scopes } = found.document
  if (!server.startsWith(resource)) throw new Error(`the server calls itself ${resource}`)
  return { resource, scopes, issuer: found.document.authorization_servers[0] ?? origin }
}

/** Members of the metadata of an authorization server (RFC 8414) that this client uses. */
export interface ServerMetadata {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly registration_endpoint?: string
  readonly scopes_supported?: readonly string[]
  readonly client_id_metadata_document_supported?: boolean
}

/** @returns whether it stands where OpenID Connect Discovery has it, so that the product finds it by itself. */
export async function fetchServerMetadata(
  issuer: string,
): Promise<{ readonly metadata: ServerMetadata; readonly isOpenid: boolean }> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname === '/' ? '' : pathname
  const found = await fetchFirst<ServerMetadata>([
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ])
  if (found)
    return { metadata: found.document, isOpenid: found.url.endsWith(`${path}/.well-known/openid-configuration`) }
  const endpoints = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` }
  return { metadata: { issuer, ...endpoints, registration_endpoint: `${origin}/register` }, isOpenid: false }
}

async function fetchFirst<T>(
  urls: readonly string[],
): Promise<{ readonly url: string; readonly document: T } | undefined> {
  for (const url of urls) {
    const response = await fetch(url)
    if (response.ok) return { url, document: (await response.json()) as T }
  }
  return undefined
}
