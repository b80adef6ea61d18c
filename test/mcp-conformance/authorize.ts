import { signInTo } from '../setup/sign-in/sign-in-to.ts'
import { createPerson } from '../stand-ins/provider/person/create-person.ts'
import type { Challenge } from './challenge.ts'
import { fetchProtection, fetchServerMetadata, type Protection, type ServerMetadata } from './fetch-metadata.ts'

/** Signs in as the product does, for what a server asks for. @returns the access token. */
export async function authorize(server: string, challenge: Challenge): Promise<string> {
  const protection = await fetchProtection(server, challenge)
  const { metadata, isOpenid } = await fetchServerMetadata(protection.issuer)
  const addresses = isOpenid
    ? { issuer: metadata.issuer }
    : { authorizationUrl: metadata.authorization_endpoint, tokenUrl: metadata.token_endpoint }
  const settings = { clientId: await register(metadata), ...addresses, ...toRequest(challenge, protection, metadata) }
  const { failure, kept } = await signInTo(settings, async ({ address }) => (await createPerson().open(address)).text, {
    seconds: 60,
  })
  if (failure) throw failure
  return kept?.tokens.accessToken?.reveal() ?? ''
}

/** Returns the scope that the server asks for, otherwise all that it has (MCP 2025-11-25, "Scope Selection Strategy"). */
function toRequest({ scope }: Challenge, { resource, scopes }: Protection, metadata: ServerMetadata) {
  return {
    bearerTokenType: 'access_token',
    scopes: scope ?? scopes?.join(' '),
    appendOfflineAccess: metadata.scopes_supported?.includes('offline_access') ?? false,
    resource,
    redirectHost: '127.0.0.1',
    additionalRedirectReferrerHosts: [],
  } as const
}

/** Returns an address that names the client, where the server takes that; otherwise a registration (RFC 7591), as a public client. */
async function register(metadata: ServerMetadata): Promise<string> {
  if (metadata.client_id_metadata_document_supported) return 'https://conformance-test.local/client-metadata.json'
  const response = await fetch(metadata.registration_endpoint ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Gatepass',
      redirect_uris: ['http://127.0.0.1/'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    }),
  })
  return ((await response.json()) as { client_id: string }).client_id
}
