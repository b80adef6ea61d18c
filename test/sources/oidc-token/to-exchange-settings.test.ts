import { describe, expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import type { ExchangeOptions } from '../../../src/sources/oidc-token/exchange-options.ts'
import { planExchange } from '../../../src/sources/oidc-token/plan-exchange.ts'
import { describeExchange, toExchangeSettings } from '../../../src/sources/oidc-token/to-exchange-settings.ts'

type Own = Partial<ExchangeOptions>

function complete(own: Own): ExchangeOptions & { readonly header: readonly string[] } {
  return {
    'client-secret-file': undefined,
    'client-auth': undefined,
    'client-id': 'desk',
    issuer: 'https://id.example',
    'token-url': undefined,
    'bearer-token-type': 'id_token',
    exchange: undefined,
    'exchange-url': undefined,
    'exchange-issuer': undefined,
    'exchange-scope': undefined,
    'exchange-audience': [],
    'exchange-resource': [],
    'exchange-parameter': [],
    'exchange-requested-token-type': undefined,
    'exchange-client-id': undefined,
    'exchange-client-auth': undefined,
    'exchange-secret-file': undefined,
    'exchange-secret-variable': undefined,
    'base-url': undefined,
    organization: undefined,
    'federation-rule': undefined,
    'service-account': undefined,
    workspace: undefined,
    'identity-reuse': 'never',
    header: [],
    ...own,
  }
}

const provider = { issuer: 'https://id.example', setting: 'issuer' }
const url = 'https://as.example/token'
const ownSecret = {
  authentication: 'post',
  secret: { kind: 'file', name: '~/s', setting: 'client-secret-file' },
} as const
const jagServer = {
  form: 'id-jag',
  subject: 'id_token',
  provider: { endpoint: provider, client: { id: 'desk' } },
  endpoint: { issuer: 'https://as.example', setting: 'exchange-issuer' },
  client: { id: undefined },
  issuer: 'https://as.example',
  audience: 'https://as.example',
  resources: [],
  scope: undefined,
}
const jagSteps = [
  'exchanged at the token endpoint of https://id.example for an ID-JAG, for https://as.example',
  'that exchanged at the token endpoint of https://as.example (RFC 7523)',
]
const none = { audiences: [], parameters: [], requestedTokenType: undefined, resources: [], scope: undefined }

describe('an exchange', () => {
  test('is not planned if no setting asks for it', async () => {
    expect(toExchangeSettings(complete({}), 'p')).toBeUndefined()
    expect(await planExchange(complete({ 'base-url': 'https://api.example', workspace: 'w' }), 'p')).toBeUndefined()
  })

  test('is planned with its steps', async () => {
    const plan = await planExchange(complete({ exchange: 'jwt-bearer', 'exchange-url': url }), 'p')
    expect(plan).toEqual({
      settings: {
        form: 'jwt-bearer',
        subject: 'id_token',
        endpoint: { url, setting: 'exchange-url' },
        client: { id: undefined },
        parameters: [],
        resources: [],
        scope: undefined,
      },
      steps: ['exchanged at as.example (RFC 7523)'],
    })
  })

  test.each<[name: string, own: Own, settings: object, steps: readonly string[]]>([
    [
      "at the person's provider",
      { exchange: 'token-exchange', 'exchange-audience': ['gateway'] },
      {
        form: 'token-exchange',
        subject: 'id_token',
        endpoint: provider,
        client: { id: 'desk' },
        ...none,
        audiences: ['gateway'],
      },
      ['exchanged at the token endpoint of https://id.example (RFC 8693), for gateway'],
    ],
    [
      'at the token endpoint that is set without an issuer',
      {
        exchange: 'token-exchange',
        issuer: undefined,
        'token-url': 'https://id.example/t',
        'bearer-token-type': 'access_token',
      },
      {
        form: 'token-exchange',
        subject: 'access_token',
        client: { id: 'desk' },
        ...none,
        endpoint: { url: 'https://id.example/t', setting: 'token-url' },
      },
      ['exchanged at id.example (RFC 8693)'],
    ],
    [
      'with everything',
      {
        exchange: 'token-exchange',
        'exchange-url': url,
        'exchange-audience': ['a', 'b'],
        'exchange-resource': ['https://api.example'],
        'exchange-scope': 'a b',
        'exchange-client-id': 'app',
        'exchange-requested-token-type': 'jwt',
        'exchange-parameter': ['x=1=2', 'y='],
        'exchange-secret-file': '~/secret',
        'exchange-client-auth': 'post',
      },
      {
        form: 'token-exchange',
        subject: 'id_token',
        endpoint: { url, setting: 'exchange-url' },
        client: {
          id: 'app',
          authentication: 'post',
          secret: { kind: 'file', name: '~/secret', setting: 'exchange-secret-file' },
        },
        audiences: ['a', 'b'],
        resources: ['https://api.example'],
        scope: 'a b',
        requestedTokenType: 'urn:ietf:params:oauth:token-type:jwt',
        parameters: [
          ['x', '1=2'],
          ['y', ''],
        ],
      },
      ['exchanged at as.example (RFC 8693), for a, b, https://api.example'],
    ],
    [
      'by the client of the sign-in, with its secret',
      { exchange: 'token-exchange', 'client-secret-file': '~/s', 'client-auth': 'post' },
      {
        form: 'token-exchange',
        subject: 'id_token',
        endpoint: provider,
        client: { id: 'desk', ...ownSecret },
        ...none,
      },
      ['exchanged at the token endpoint of https://id.example (RFC 8693)'],
    ],
    [
      'of an ID-JAG by a client with a secret, which the other server does not get',
      {
        exchange: 'id-jag',
        'exchange-issuer': 'https://as.example',
        'client-secret-file': '~/s',
        'client-auth': 'post',
      },
      { ...jagServer, provider: { endpoint: provider, client: { id: 'desk', ...ownSecret } } },
      jagSteps,
    ],
    [
      'of an ID-JAG',
      { exchange: 'id-jag', 'exchange-issuer': 'https://as.example', 'exchange-secret-variable': 'APP' },
      {
        ...jagServer,
        client: {
          id: undefined,
          authentication: undefined,
          secret: { kind: 'variable', name: 'APP', setting: 'exchange-secret-variable' },
        },
      },
      jagSteps,
    ],
    [
      'of an ID-JAG for a server that the provider calls otherwise, without metadata',
      {
        exchange: 'id-jag',
        'exchange-issuer': 'https://as.example',
        'exchange-url': url,
        'exchange-audience': ['urn:x'],
      },
      { ...jagServer, endpoint: { url, setting: 'exchange-url' }, audience: 'urn:x' },
      [
        'exchanged at the token endpoint of https://id.example for an ID-JAG, for urn:x',
        'that exchanged at as.example (RFC 7523)',
      ],
    ],
    [
      'at the platform',
      {
        exchange: 'platform',
        'base-url': 'https://api.example',
        organization: 'org_1',
        'federation-rule': 'fdrl_1',
        workspace: 'wrkspc_1',
        'identity-reuse': 'allowed',
      },
      {
        form: 'platform',
        reuse: 'allowed',
        target: {
          baseUrl: 'https://api.example',
          host: 'api.example',
          organizationId: 'org_1',
          federationRuleId: 'fdrl_1',
          serviceAccountId: undefined,
          workspaceId: 'wrkspc_1',
        },
      },
      ['exchanged at api.example under the federation rule fdrl_1'],
    ],
  ])('%s is understood', (_, own, settings, steps) => {
    const found = toExchangeSettings(complete(own), 'p')!
    expect({ settings: found, steps: describeExchange(found) }).toEqual({ settings, steps })
  })
})

const exchange = 'token-exchange'
const at = { exchange, 'exchange-url': url } as const
const forms = 'set exchange to token-exchange, jwt-bearer, id-jag, platform, or remove'
const noAddress = [
  'exchange-resource has a value that is not an address',
  'write it in full, without #, such as https://api.example.com',
] as const
const see = 'by argument, variable or file; see: p --help'

test.each<[own: Own, message: string, hint: string]>([
  [{ 'exchange-url': url }, 'exchange-url is set, and exchange is not', `${forms} exchange-url`],
  [{ 'exchange-audience': ['a'] }, 'exchange-audience is set, and exchange is not', `${forms} exchange-audience`],
  [
    { ...at, exchange: 'jwt-bearer', 'exchange-audience': ['a'] },
    'exchange-audience is not for exchange jwt-bearer',
    'remove exchange-audience, or set exchange to token-exchange or id-jag',
  ],
  [
    { ...at, exchange: 'jwt-bearer', 'exchange-requested-token-type': 'jwt' },
    'exchange-requested-token-type is not for exchange jwt-bearer',
    'remove exchange-requested-token-type, or set exchange to token-exchange',
  ],
  [
    { ...at, 'exchange-issuer': 'https://as.example' },
    'exchange-url and exchange-issuer are both set',
    'remove exchange-url: the metadata of exchange-issuer names its token endpoint',
  ],
  [
    { exchange: 'id-jag', 'exchange-issuer': 'https://as.example', 'bearer-token-type': 'access_token' },
    'exchange is id-jag, and bearer-token-type is access_token',
    'set bearer-token-type to id_token: an ID-JAG is issued for an ID token',
  ],
  [
    { exchange: 'id-jag', 'exchange-issuer': 'https://as.example', 'exchange-audience': ['a', 'b'] },
    'exchange is id-jag, and exchange-audience is set more than once',
    'set it once, or remove it: an ID-JAG is for one authorization server',
  ],
  [
    { exchange: 'platform', 'exchange-scope': 'a' },
    'exchange-scope is not for exchange platform; exchange is platform, and base-url, organization and federation-rule are not set',
    `remove exchange-scope, or set exchange to token-exchange or jwt-bearer or id-jag; set base-url, organization and federation-rule ${see}`,
  ],
  [{ exchange, 'exchange-resource': ['api'] }, ...noAddress],
  [{ exchange, 'exchange-resource': ['https://api.example/#a'] }, ...noAddress],
  [
    { exchange, 'exchange-scope': 'a  b' },
    'exchange-scope has a character that no scope has',
    'write the scopes with one space between them',
  ],
  [
    { exchange, 'exchange-requested-token-type': 'a b' },
    'exchange-requested-token-type is not a type of token',
    'write access_token, jwt, id_token or the whole URI of the type',
  ],
  [
    { exchange, 'exchange-parameter': ['=a'] },
    'exchange-parameter has a value without a name',
    'write each as NAME=VALUE',
  ],
  [
    { exchange, 'exchange-parameter': ['scope=a'] },
    'exchange-parameter sets scope, which it may not set',
    'set exchange-scope',
  ],
  [
    { exchange, 'exchange-parameter': ['client_secret=canary'] },
    'exchange-parameter sets client_secret, which it may not set',
    'set exchange-secret-file or exchange-secret-variable',
  ],
  [
    { exchange, 'exchange-parameter': ['subject_token=canary'] },
    'exchange-parameter sets subject_token, which it may not set',
    'remove subject_token',
  ],
  [
    { exchange, 'exchange-secret-file': 'a', 'exchange-secret-variable': 'B' },
    'exchange-secret-file and exchange-secret-variable are both set',
    'remove one of them',
  ],
  [
    { exchange, 'exchange-client-auth': 'post' },
    'exchange-client-auth is set, and no secret is',
    'set exchange-secret-file or exchange-secret-variable, or remove exchange-client-auth',
  ],
  [
    { exchange, 'exchange-url': 'http://as.example' },
    'as.example would be asked over plain http, which anybody on the network can read',
    'write https:// into exchange-url',
  ],
  [
    { exchange, 'exchange-issuer': 'as.example' },
    'exchange-issuer: it is not an address that can be used',
    'write it in full, without a name, password or fragment, such as https://id.example/oauth2/token',
  ],
])('%j is refused with the way out', (own, message, hint) => {
  expect(() => toExchangeSettings(complete(own), 'p')).toThrow(new HelperError('usage', message, hint))
})

test.each<[own: Own, message: string, hint: string]>([
  [
    { exchange: 'jwt-bearer' },
    'exchange is jwt-bearer, and neither exchange-url nor exchange-issuer is set',
    `set one of them ${see}`,
  ],
  [{ exchange: 'id-jag' }, 'exchange is id-jag, and exchange-issuer is not set', `set exchange-issuer ${see}`],
  [
    { exchange: 'platform', organization: 'o' },
    'exchange is platform, and base-url and federation-rule are not set',
    `set base-url and federation-rule ${see}`,
  ],
  [
    { ...at, 'exchange-secret-file': 'a' },
    'exchange-secret-file is set, and exchange-client-id is not',
    'set exchange-client-id to the client that the secret belongs to',
  ],
])('%j is not all that is needed', (own, message, hint) => {
  expect(() => toExchangeSettings(complete(own), 'p')).toThrow(new HelperError('not-configured', message, hint))
})
