import type { BearerTokenType } from '../../contract/oauth-names.ts'
import type { Options, OptionTable } from '../../helper/options/option-table.ts'
import { workloadOptions } from '../identity/workload-options.ts'

/** The ways of exchanging a person's token. */
export const exchangeForms = ['token-exchange', 'jwt-bearer', 'id-jag', 'platform'] as const

/** One way of exchanging a person's token for the gateway's. */
export type ExchangeForm = (typeof exchangeForms)[number]

const atPlatform = { exchange: ['platform'] } as const

/** The options by which a person's token is exchanged for another one. */
export const exchangeOptions = {
  exchange: {
    value: exchangeForms,
    summary:
      'exchange the token for another one, and print that: by RFC 8693, by RFC 7523, in the two steps of ID-JAG, or at the platform',
  },
  'exchange-url': {
    value: 'text',
    summary:
      "the token endpoint that exchanges it (default: that of exchange-issuer; with token-exchange the provider's)",
    asked: { exchange: ['jwt-bearer'] },
  },
  'exchange-issuer': {
    value: 'text',
    summary: 'the issuer of the authorization server that exchanges it, whose metadata names its token endpoint',
    requiredWith: { exchange: ['id-jag'] },
  },
  'exchange-audience': {
    value: 'list',
    summary:
      'with token-exchange and id-jag: whom the new token is for; may be repeated (default with id-jag: exchange-issuer)',
  },
  'exchange-resource': {
    value: 'list',
    summary: 'the address of the API that the new token is for (RFC 8707); may be repeated',
  },
  'exchange-scope': { value: 'text', summary: 'the scopes of the new token, with spaces between them' },
  'exchange-requested-token-type': {
    value: 'text',
    summary:
      'with token-exchange: which type of token to ask for, such as access_token or jwt (default: the server chooses)',
  },
  'exchange-parameter': {
    value: 'list',
    summary:
      'with token-exchange and jwt-bearer: one more parameter of the request, such as requested_token_use=on_behalf_of; may be repeated',
  },
  'exchange-client-id': {
    value: 'text',
    summary:
      "the client ID at the server that exchanges it (default: client-id at the provider's own, with id-jag what the ID-JAG says, else none)",
  },
  'exchange-secret-file': {
    value: 'path',
    summary: 'a file with the secret of that client, where the server wants one',
  },
  'exchange-secret-variable': { value: 'text', summary: 'the name of a variable with that secret' },
  'exchange-client-auth': {
    value: ['basic', 'post'],
    summary:
      "how the secret is sent: in a header, or in the body (default: basic, unless the server's metadata has post only)",
  },
  'base-url': {
    value: 'text',
    summary: `with platform: ${workloadOptions['base-url'].summary}`,
    requiredWith: atPlatform,
  },
  organization: {
    value: 'text',
    summary: `with platform: ${workloadOptions.organization.summary}`,
    requiredWith: atPlatform,
  },
  'federation-rule': {
    value: 'text',
    summary: 'with platform: the ID of the federation rule that knows these people',
    requiredWith: atPlatform,
  },
  'service-account': { value: 'text', summary: `with platform: ${workloadOptions['service-account'].summary}` },
  workspace: { value: 'text', summary: `with platform: ${workloadOptions.workspace.summary}` },
  'identity-reuse': {
    ...workloadOptions['identity-reuse'],
    summary: 'with platform: whether a token that names itself (jti) may be exchanged more than once',
  },
} as const satisfies OptionTable

/** The facts that only an exchange at the platform supplies. */
export const exchangeFacts = ['organization', 'service_account', 'workspace'] as const

/** The values of {@link exchangeOptions}, and of the options for the provider, its client and the exchanged token. */
export type ExchangeOptions = Options<typeof exchangeOptions> & {
  readonly 'client-id': string
  readonly 'client-secret-file': string | undefined
  readonly 'client-auth': 'basic' | 'post' | undefined
  readonly issuer: string | undefined
  readonly 'token-url': string | undefined
  readonly 'bearer-token-type': BearerTokenType
}
