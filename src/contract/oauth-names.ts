/** The grant types that are URIs: RFC 8693, section 2.1; RFC 7523, section 2.1; RFC 8628, section 3.4. */
export const grantTypes = {
  tokenExchange: 'urn:ietf:params:oauth:grant-type:token-exchange',
  jwtBearer: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  deviceCode: 'urn:ietf:params:oauth:grant-type:device_code',
} as const

/** The tokens of a sign-in, one of which is sent to the gateway or exchanged. The first is the default. */
export const bearerTokenTypes = ['id_token', 'access_token'] as const

/** The beginning of the URI of a registered type of token (RFC 8693, section 3). */
export const tokenTypePrefix = 'urn:ietf:params:oauth:token-type:'

/** The kind of token that is sent to the gateway, or exchanged. */
export type BearerTokenType = (typeof bearerTokenTypes)[number]

/** The names of these tokens for people, without an article. */
export const bearerTokenNames: Readonly<Record<BearerTokenType, string>> = {
  id_token: 'ID token',
  access_token: 'access token',
}

/** The ports to which a browser may come back: those that need no privilege (RFC 6335, section 6). */
export const redirectPorts = { min: 1024, max: 65_535 } as const

/** The hosts to which a browser may come back (RFC 8252, section 7.3), the default first. */
export const redirectHosts = ['127.0.0.1', 'localhost'] as const

/** A host of {@link redirectHosts}. */
export type RedirectHost = (typeof redirectHosts)[number]

/** The paths of an issuer's metadata: OpenID Connect Discovery 1.0, section 4, after its path; RFC 8414, section 3, before it. */
export const metadataPaths = {
  openid: '/.well-known/openid-configuration',
  oauth: '/.well-known/oauth-authorization-server',
} as const

/**
 * Returns whether a text has the form of an error code: those of RFC 6749, section 4.1.2.1, and those that providers add. Any other text is
 * repeated in no message.
 */
export function isErrorCode(text: string): boolean {
  return /^[\w.-]{1,60}$/.test(text)
}

/** Describes the problem of an answer of a token endpoint with another value than RFC 6749, section 5.1, allows. */
export function describeUnexpected(member: 'access_token' | 'token_type' | 'expires_in'): string {
  return `${member} is not as expected`
}

/** Parses `expires_in` (RFC 6749, section 5.1), which some servers send as text; `NaN` for anything but a number. */
export function parseExpiresIn(stated: unknown): number {
  if (typeof stated === 'number') return stated
  return typeof stated === 'string' && /^\d+$/.test(stated) ? Number(stated) : Number.NaN
}
