import { createServer } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { closeServer, listenOnLoopback } from '../../setup/loopback.ts'
import { audience } from '../identity/identity-provider.ts'

/** An OpenID provider on loopback that gives a workload, by its client ID and secret, tokens in the form of JWTs. */
export interface OidcIssuer extends AsyncDisposable {
  /** The value of `iss`. */
  readonly issuer: string
  readonly jwksUrl: string
  readonly tokenUrl: string
  readonly client: { readonly id: string; readonly secret: string }
}

/** A day, so that a platform's clock can be moved on while a token is fresh. */
const lifeSec = 86_400

export async function startOidcIssuer(): Promise<OidcIssuer> {
  const server = createServer()
  const issuer = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const client = { id: 'build', secret: 'canary-of-client' }
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'first' }] },
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    cookies: { keys: ['unused'] },
    ttl: { ClientCredentials: lifeSec },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: () => ({
          scope: '',
          audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: lifeSec,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
  server.on('request', provider.callback())
  return {
    issuer,
    client,
    jwksUrl: `${issuer}/jwks`,
    tokenUrl: `${issuer}/token`,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}
