import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  ResponseBodyError,
  refreshTokenGrant,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client'
import { type BearerTokenType, isErrorCode } from '../../contract/oauth-names.ts'
import { isPlainLoopback } from '../../runtime/network/addresses.ts'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { DeviceSignIn } from './device-grants.ts'

/** The tokens that the provider has issued. */
export interface OrganizationTokens {
  /** The token that the client sends: the ID token or the access token. */
  readonly token: string
  readonly refreshToken: string | undefined
  /** The account for display; `undefined` after a renewal without an ID token. */
  readonly account: string | undefined
}

/** Why there are no tokens. `denied`: the person or the provider refused. It contains no secret. */
export class ProviderFailure extends Error {
  readonly reason: 'denied' | 'refused' | 'unavailable'
  /** For the operator's log: the error code of OAuth, of the library or of the system. */
  readonly note: string

  constructor(reason: ProviderFailure['reason'], note: string = reason) {
    super(reason)
    this.name = 'ProviderFailure'
    this.reason = reason
    this.note = note
  }
}

/** Sends people to the provider, and redeems the codes with which they return. */
export interface OrganizationProvider {
  /**
   * The address of the sign-in page.
   * @throws {ProviderFailure} `unavailable`
   */
  createAuthorizationUrl(signIn: DeviceSignIn): Promise<string>
  /** Redeems the code of a callback, once. @throws {ProviderFailure} */
  redeem(query: URLSearchParams, signIn: DeviceSignIn): Promise<OrganizationTokens>
  /** Renews the tokens of a person who has signed in. @throws {ProviderFailure} */
  refresh(refreshToken: string): Promise<OrganizationTokens>
}

/** How long metadata and the secret are used before they are read again. */
const connectionMs = 5 * 60_000

/** Creates the provider of an organization. It reads its metadata and its secret when they are needed. */
export function createOrganizationProvider(settings: OrganizationSettings): OrganizationProvider {
  const { scope, redirectUri, resource } = settings
  const more: Record<string, string> = resource === undefined ? {} : { resource }
  const connect = createConnection(settings)
  return {
    createAuthorizationUrl: (signIn) =>
      attemptAtProvider(async () => {
        const challenge = await calculatePKCECodeChallenge(signIn.codeVerifier)
        return buildAuthorizationUrl(await connect(), {
          redirect_uri: redirectUri,
          scope,
          state: signIn.state,
          nonce: signIn.nonce,
          code_challenge: challenge,
          code_challenge_method: 'S256',
          // Without it, providers issue no refresh token (OpenID Connect Core 1.0, section 11).
          ...(scope.split(' ').includes('offline_access') && { prompt: 'consent' }),
          ...more,
        }).href
      }),
    redeem: (query, { state, nonce, codeVerifier }) =>
      attemptAtProvider(async () => {
        const address = Object.assign(new URL(redirectUri), { search: query.toString() })
        const checks = {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        }
        return toIssued(await authorizationCodeGrant(await connect(), address, checks, more), settings)
      }),
    refresh: (refreshToken) =>
      attemptAtProvider(async () => toIssued(await refreshTokenGrant(await connect(), refreshToken, more), settings)),
  }
}

/** The organization's OpenID provider, and this server's registration there. */
interface OrganizationSettings {
  readonly issuer: string
  readonly clientId: string
  /**
   * Reads the secret of the confidential client.
   * @throws {HelperError} if it is missing.
   */
  readonly readSecret: () => Promise<Secret>
  readonly scope: string
  /** The kind of token that the client sends. */
  readonly token: BearerTokenType
  /** The resource indicator (RFC 8707). */
  readonly resource: string | undefined
  readonly redirectUri: string
  readonly fetch: Fetch
  readonly now: () => number
}

/** Creates a function that gives the provider's metadata and the secret, which it reads again after {@link connectionMs}. */
function createConnection({
  issuer,
  clientId,
  readSecret,
  fetch,
  now,
}: OrganizationSettings): () => Promise<Configuration> {
  let known: { readonly at: number; readonly connection: Promise<Configuration> } | undefined
  const open = async () => {
    const authentication = toClientAuth(await readSecret())
    const address = new URL(issuer)
    const execute = [enableNonRepudiationChecks, ...(isPlainLoopback(address) ? [allowInsecureRequests] : [])]
    return discovery(address, clientId, undefined, authentication, {
      // Our network accepts only texts as bodies.
      [customFetch]: (url, { method, headers, body, signal }) =>
        fetch(url, {
          method,
          headers,
          ...(body !== null && body !== undefined && { body: String(body) }),
          ...(signal && { signal }),
        }),
      execute,
      timeout: 10,
    })
  }
  return () => {
    if (known && now() - known.at < connectionMs) return known.connection
    const entry = { at: now(), connection: open() }
    known = entry
    entry.connection.catch(() => {
      if (known === entry) known = undefined
    })
    return entry.connection
  }
}

/** Uses the header, which every server must support (RFC 6749, section 2.3.1), unless the metadata offers only the body. */
function toClientAuth(secret: Secret): ClientAuth {
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const isPost = !methods.includes('client_secret_basic') && methods.includes('client_secret_post')
    return (isPost ? ClientSecretPost : ClientSecretBasic)(secret.reveal())(server, client, body, headers)
  }
}

/** Sends a request through the library, whose errors contain tokens and texts of the provider, so none of them is passed on. */
async function attemptAtProvider<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw toProviderFailure(error)
  }
}

function toIssued(
  tokens: TokenEndpointResponse & TokenEndpointResponseHelpers,
  { token: kind }: OrganizationSettings,
): OrganizationTokens {
  const token = tokens[kind]
  if (token === undefined) throw new ProviderFailure('refused')
  const claims = tokens.claims()
  const names = [claims?.preferred_username, claims?.email, claims?.name, claims?.sub]
  const account = names.find((name) => typeof name === 'string' && name !== '')
  return { token, refreshToken: tokens.refresh_token, account: typeof account === 'string' ? account : undefined }
}

function toProviderFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  if (error instanceof AuthorizationResponseError)
    return new ProviderFailure(error.error === 'access_denied' ? 'denied' : 'refused', toNote(error.error))
  if (error instanceof ResponseBodyError)
    return new ProviderFailure(error.status < 500 ? 'refused' : 'unavailable', toNote(error.error))
  // If the library rejects an answer, its code has this form; any other error means that the provider was not reached.
  const { code, kind } = Object(error) as { readonly code?: unknown; readonly kind?: unknown }
  const isAnswer = typeof code === 'string' && /^OAUTH_(?!TIMEOUT|ABORT|RESPONSE_IS_NOT_CONFORM)/.test(code)
  return new ProviderFailure(isAnswer ? 'refused' : 'unavailable', toNote(code ?? kind))
}

/** Returns a code that is safe for a log, whoever has written it. */
function toNote(code: unknown): string {
  return typeof code === 'string' && isErrorCode(code) ? code : 'unknown'
}
