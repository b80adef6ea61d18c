/** The resource behind the gateway, as OAuth clients see it in a refusal and in its metadata (RFC 9728). */
export interface ProtectedResource {
  /** The resource identifier, which is a URL. */
  readonly url: string
  /** Never empty. */
  readonly authorizationServers: readonly string[]
  /** The scopes that a client requests first; may be empty. */
  readonly scopes: readonly string[]
  readonly name?: string | undefined
}

/** Returns the path of its metadata on the gateway (RFC 9728, section 3.1). */
export function toMetadataPath({ url }: Pick<ProtectedResource, 'url'>): string {
  return `/.well-known/oauth-protected-resource${toResourcePath({ url })}`
}

/** Returns the path of the resource itself; empty for a whole host. */
export function toResourcePath({ url }: Pick<ProtectedResource, 'url'>): string {
  return new URL(url).pathname.replace(/\/$/, '')
}

/**
 * Renders its metadata (RFC 9728, section 2) as one line. `bearer_methods_supported` is `header`, because the verifier reads tokens only
 * from headers.
 */
export function renderResourceMetadata({ url, authorizationServers, scopes, name }: ProtectedResource): string {
  return JSON.stringify({
    resource: url,
    authorization_servers: authorizationServers,
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    resource_name: name,
  })
}

/**
 * Renders the challenge parameters that lead a client to a token (RFC 9728, section 5.1; RFC 6750, section 3).
 * @param scopes The scopes that the request requires.
 */
export function renderResourceChallenge({ url }: ProtectedResource, scopes: readonly string[]): string {
  const scope = scopes.length > 0 ? `, scope="${scopes.join(' ')}"` : ''
  return `${scope}, resource_metadata="${new URL(url).origin}${toMetadataPath({ url })}"`
}

/** Lists the scopes of a token: `scope` is one text (RFC 9068, section 2.2.3); some providers write `scp`, as a text or a list. */
export function listScopes({ scope, scp }: Readonly<Record<string, unknown>>): string[] {
  return [scope, scp].flat().flatMap((text) => (typeof text === 'string' ? text.split(' ') : []))
}
