import { bearerTokenTypes, redirectHosts, redirectPorts } from '../../contract/oauth-names.ts'
import type { CommonOptions } from '../../helper/options/every-helper-options.ts'
import type { Options, OptionTable } from '../../helper/options/option-table.ts'
import { signInOptions } from '../oauth/sign-in-options.ts'
import { exchangeFacts, exchangeOptions } from './exchange-options.ts'

/**
 * The options of a helper that prints a person's token: the members of the document's `oidc` object, with the same names and defaults,
 * and options that only a helper has.
 */
export const oidcTokenOptions = {
  'client-id': {
    value: 'text',
    required: true,
    summary: 'the client ID of the app registration: a public client, unless client-secret-file is set',
  },
  'client-secret-file': {
    value: 'path',
    summary: 'a file with the secret of that client, where the provider wants one, as Google does of desktop clients',
  },
  'client-auth': {
    value: ['basic', 'post'],
    summary:
      "how that secret is sent: in a header, or in the body (default: post where the provider's metadata has it)",
  },
  issuer: {
    value: 'text',
    summary: 'the address of the OpenID provider, which tells where its endpoints are; either this or both addresses',
    requiredWithout: 'authorization-url',
  },
  'authorization-url': {
    value: 'text',
    summary: 'without issuer: the address of the authorization endpoint',
    requiredBeside: 'token-url',
  },
  'token-url': {
    value: 'text',
    summary: 'without issuer: the address of the token endpoint',
    requiredBeside: 'authorization-url',
  },
  'device-authorization-url': {
    value: 'text',
    summary: 'without issuer: the address of the device authorization endpoint, for sign-ins with a code',
  },
  'revocation-url': {
    value: 'text',
    summary:
      'without issuer: the address of the revocation endpoint, so that sign-out ends the tokens at the provider too',
  },
  'bearer-token-type': {
    value: bearerTokenTypes,
    default: bearerTokenTypes[0],
    summary: 'which token is printed, or exchanged; access_token is for a gateway that is an OAuth resource server',
  },
  scopes: {
    value: 'text',
    summary:
      "the scopes to ask for, with spaces between them; with access_token the scope of the gateway's API; openid is added for an ID token",
    requiredWith: { 'bearer-token-type': ['access_token'] },
  },
  'append-offline-access': {
    value: 'boolean',
    default: true,
    summary: 'ask for offline_access too where the refresh token is kept, because many providers give none without it',
  },
  resource: {
    value: 'text',
    summary: 'the resource that the token is for (RFC 8707), if the provider supports that',
  },
  'redirect-port': {
    value: 'number',
    ...redirectPorts,
    summary: 'the port to which the browser comes back, where the registration has a fixed one (default: a free one)',
  },
  'redirect-host': {
    value: redirectHosts,
    default: redirectHosts[0],
    summary: 'the host to which the browser comes back, as the registration spells it',
  },
  'redirect-path': {
    value: 'text',
    summary: 'the path to which the browser comes back, as the registration has it',
  },
  'additional-redirect-referrer-hosts': {
    value: 'text',
    summary: 'more hosts that may send the browser back, with spaces between them',
  },
  'response-mode': {
    value: ['query', 'form_post'],
    summary: 'how the provider sends its answer through the browser (default: as it does by itself)',
  },
  'authorization-parameter': {
    value: 'list',
    summary: 'one more parameter of the authorization request, such as access_type=offline; may be repeated',
  },
  ...exchangeOptions,
  ...signInOptions,
  'refresh-token-store': {
    value: ['none', 'file', 'keychain'],
    default: 'none',
    summary:
      'where the refresh token is kept, so that a person signs in less often; file: encrypted, with its key in another file of the same user; keychain: with its key in the keychain of the system',
  },
} as const satisfies OptionTable

/** The values of {@link oidcTokenOptions}. */
export type OidcTokenOptions = Options<typeof oidcTokenOptions>

/** All options that the helper reads. */
export type OidcTokenCallOptions = OidcTokenOptions & CommonOptions

/** The facts that header templates may use. */
export const oidcTokenFacts = [
  'subject',
  'email',
  'issuer',
  'bearer_token_type',
  ...exchangeFacts,
  'claims.NAME',
] as const
