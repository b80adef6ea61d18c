import { describe, expect, test } from 'vitest'
import type {
  IdJagSettings,
  JwtBearerSettings,
  TokenExchangeSettings,
} from '../../../../src/sources/oauth/exchange/exchange-settings.ts'
import { toStableValue } from '../../../setup/to-stable-text.ts'
import type { ExchangeServer } from '../../../stand-ins/identity/exchange-server.ts'
import { issuer } from '../../../stand-ins/identity/identity-provider.ts'
import { startDesk } from './desk.ts'

const prefix = 'urn%3Aietf%3Aparams%3Aoauth%3A'
const rules = {
  clients: {
    desk: { grants: ['token-exchange', 'jwt-bearer'] },
    shut: { secret: 'canary s', grants: ['token-exchange'] },
    none: { grants: [] },
  },
  targets: ['https://api.example/a', 'https://api.example/b', 'gateway'],
  scopes: ['chat', 'models'],
} as const

function toEndpoint({ tokenUrl }: Pick<ExchangeServer, 'tokenUrl'>) {
  return { url: tokenUrl, setting: 'exchange-url' }
}

function toTokenExchange(server: ExchangeServer, own: Partial<TokenExchangeSettings> = {}): TokenExchangeSettings {
  const shared = { subject: 'id_token' as const, endpoint: toEndpoint(server), client: { id: 'desk' }, resources: [] }
  return { form: 'token-exchange', ...shared, audiences: [], parameters: [], ...own }
}

function toJwtBearer(server: ExchangeServer, own: Partial<JwtBearerSettings> = {}): JwtBearerSettings {
  const shared = { subject: 'id_token' as const, endpoint: toEndpoint(server), client: { id: 'desk' }, resources: [] }
  return { form: 'jwt-bearer', ...shared, parameters: [], ...own }
}

describe('an exchange by RFC 8693', () => {
  test('sends what is set in one form', async () => {
    await using desk = await startDesk(rules)
    const settings = toTokenExchange(desk.server, {
      audiences: ['gateway', 'https://api.example/b'],
      resources: ['https://api.example/a'],
      scope: 'chat models',
      requestedTokenType: 'urn:ietf:params:oauth:token-type:access_token',
      parameters: [['tenant', 'a b']],
    })
    expect({ outcome: await desk.exchange(settings), grants: desk.server.grants }).toEqual({
      outcome: {
        iss: desk.server.issuer,
        sub: 'alice',
        aud: ['gateway', 'https://api.example/b', 'https://api.example/a'],
        scope: 'chat models',
      },
      grants: [
        {
          authorization: undefined,
          body: `grant_type=${prefix}grant-type%3Atoken-exchange&subject_token=${desk.tokens[0]}&subject_token_type=${prefix}token-type%3Aid_token&requested_token_type=${prefix}token-type%3Aaccess_token&audience=gateway&audience=https%3A%2F%2Fapi.example%2Fb&resource=https%3A%2F%2Fapi.example%2Fa&scope=chat+models&tenant=a+b&client_id=desk`,
        },
      ],
    })
  })

  test('sends the secret of a variable, and nothing that is not set', async () => {
    await using desk = await startDesk(rules)
    const secret = { kind: 'variable' as const, name: 'SHUT', setting: 'exchange-secret-variable' }
    const client = { id: 'shut', secret }
    const settings = toTokenExchange(desk.server, { client, subject: 'access_token' })
    expect({ outcome: await desk.exchange(settings, { SHUT: 'canary s\n' }), grants: desk.server.grants }).toEqual({
      outcome: {
        iss: desk.server.issuer,
        sub: 'alice',
        aud: [],
      },
      grants: [
        {
          authorization: `Basic ${Buffer.from('shut:canary+s').toString('base64')}`,
          body: `grant_type=${prefix}grant-type%3Atoken-exchange&subject_token=${desk.tokens[0]}&subject_token_type=${prefix}token-type%3Aaccess_token`,
        },
      ],
    })
  })

  test('lets an administrator name the type of the token in the words of the server', async () => {
    await using desk = await startDesk(rules)
    const parameters = [['subject_token_type', 'urn:ietf:params:oauth:token-type:jwt']] as const
    await desk.exchange(toTokenExchange(desk.server, { parameters }))
    expect(new URLSearchParams(desk.server.grants[0]?.body).getAll('subject_token_type')).toEqual([parameters[0][1]])
  })
})

describe('an exchange by RFC 7523', () => {
  test('sends the token as the assertion', async () => {
    await using desk = await startDesk(rules)
    const settings = toJwtBearer(desk.server, { scope: 'chat', resources: ['gateway'] })
    expect({ outcome: await desk.exchange(settings), grants: desk.server.grants }).toEqual({
      outcome: {
        iss: desk.server.issuer,
        sub: 'alice',
        aud: ['gateway'],
        scope: 'chat',
      },
      grants: [
        {
          authorization: undefined,
          body: `grant_type=${prefix}grant-type%3Ajwt-bearer&assertion=${desk.tokens[0]}&resource=gateway&scope=chat&client_id=desk`,
        },
      ],
    })
  })

  test('renews a sign-in whose token was used, once', async () => {
    await using desk = await startDesk(rules, [{}, {}, {}])
    const settings = toJwtBearer(desk.server, { client: { id: undefined } })
    await desk.exchange(settings)
    expect(await desk.exchange(settings)).toEqual({ sub: 'alice', iss: desk.server.issuer, aud: [] })
    const sent = desk.server.grants.map(({ body }) =>
      desk.tokens.indexOf(new URLSearchParams(body).get('assertion') ?? ''),
    )
    expect(sent).toEqual([0, 0, 1])
  })

  test('needs a JWT', async () => {
    await using desk = await startDesk(rules)
    desk.tokens[0] = 'opaque-canary'
    expect({ outcome: await desk.exchange(toJwtBearer(desk.server)), grants: desk.server.grants }).toEqual({
      outcome: [
        'not-configured',
        'the ID token is not a JWT, and exchange jwt-bearer needs one',
        'set bearer-token-type to the kind of token that is a JWT, or set exchange to token-exchange',
      ],
      grants: [],
    })
  })
})

describe('an ID-JAG', () => {
  /** Prepares the person's provider, and the server of the gateway, which trusts its ID-JAGs. */
  async function startBoth(idJag?: { header?: object; claims?: object }) {
    const targets = ['https://api.example/a']
    const { clients, scopes } = rules
    const provider = await startDesk({ clients, scopes, targets, issuer, idJagClient: 'app', ...(idJag && { idJag }) })
    const server = await startDesk({
      trusted: { issuer, keys: provider.server.keys },
      clients: { app: { secret: 'canary', grants: ['jwt-bearer'] } },
    })
    targets.push(server.server.issuer)
    const settings: IdJagSettings = {
      form: 'id-jag',
      subject: 'id_token',
      resources: ['https://api.example/a'],
      scope: 'chat',
      provider: { endpoint: { url: provider.server.tokenUrl, setting: 'token-url' }, client: { id: 'desk' } },
      endpoint: { issuer: server.server.issuer, setting: 'exchange-issuer' },
      client: { id: undefined, secret: { kind: 'variable', name: 'APP', setting: 'exchange-secret-variable' } },
      issuer: server.server.issuer,
      audience: server.server.issuer,
    }
    return {
      provider,
      server,
      settings,
      [Symbol.asyncDispose]: async () => {
        await provider[Symbol.asyncDispose]()
        await server[Symbol.asyncDispose]()
      },
    }
  }

  test('is asked of the provider, and presented to the other server as the client that it names', async () => {
    await using stage = await startBoth()
    const { provider, server, settings } = stage
    const claims = await provider.exchange(settings, { APP: 'canary' })
    const { issuer, grants, lookups } = server.server
    const audience = encodeURIComponent(issuer)
    expect({
      claims,
      asked: provider.server.grants,
      presented: toStableValue(grants),
      lookups,
      holdsIdToken: grants[0]?.body.includes(provider.tokens[0]!),
    }).toEqual({
      claims: { iss: issuer, sub: 'alice', aud: ['https://api.example/a'], scope: 'chat' },
      asked: [
        {
          authorization: undefined,
          body: `grant_type=${prefix}grant-type%3Atoken-exchange&requested_token_type=${prefix}token-type%3Aid-jag&audience=${audience}&resource=https%3A%2F%2Fapi.example%2Fa&scope=chat&subject_token=${provider.tokens[0]}&subject_token_type=${prefix}token-type%3Aid_token&client_id=desk`,
        },
      ],
      presented: [
        {
          authorization: `Basic ${Buffer.from('app:canary').toString('base64')}`,
          body: `grant_type=${prefix}grant-type%3Ajwt-bearer&assertion=JWT`,
        },
      ],
      lookups: ['/.well-known/oauth-authorization-server/tenant'],
      holdsIdToken: false,
    })
  })

  test('of another type is not presented', async () => {
    await using stage = await startBoth({ header: { typ: 'JWT' } })
    const { provider, server, settings } = stage
    expect({ outcome: await provider.exchange(settings, { APP: 'canary' }), grants: server.server.grants }).toEqual({
      outcome: [
        'not-configured',
        'the ID-JAG that AS issued is of the type "JWT", not "oauth-id-jag+jwt"',
        'have AS follow draft-ietf-oauth-identity-assertion-authz-grant',
      ],
      grants: [],
    })
  })

  test('is not asked for while the secret for the other server is missing', async () => {
    await using stage = await startBoth()
    const { provider, settings } = stage
    expect({ outcome: await provider.exchange(settings), grants: provider.server.grants }).toEqual({
      outcome: [
        'not-configured',
        'the variable APP, which should hold the secret of the client, does not exist or is empty',
        'put the secret there, or correct exchange-secret-variable',
      ],
      grants: [],
    })
  })

  test('that the other server refuses is not followed by a second one', async () => {
    await using stage = await startBoth({ claims: { scope: 'admin' } })
    const { provider, server, settings } = stage
    provider.tokens.push(provider.tokens[0]!)
    server.server.answer({ status: 400, body: { error: 'invalid_grant' } })
    const { host } = new URL(server.server.issuer)
    expect(await provider.exchange(settings, { APP: 'canary' })).toEqual([
      'refused',
      `${host} did not exchange the ID-JAG that AS issued (HTTP 400 invalid_grant)`,
      `have ${host} trust ID-JAGs of this provider for the client "app"`,
    ])
    expect([provider.server.grants.length, server.server.grants.length]).toEqual([1, 1])
  })
})

describe('a refusal', () => {
  const client = { id: 'desk' }
  const did = 'AS did not exchange the ID token'
  test.each<[own: Partial<TokenExchangeSettings>, message: string, hint: string]>([
    [
      { audiences: ['elsewhere'] },
      `${did} (HTTP 400 invalid_target): unknown target`,
      'correct exchange-audience and exchange-resource, or have the server know them',
    ],
    [{ scope: 'admin' }, `${did} (HTTP 400 invalid_scope): unknown scope`, 'correct exchange-scope'],
    [
      { client: { id: 'nobody' } },
      `${did} (HTTP 400 invalid_client): unknown client or wrong secret`,
      'check the client ID "nobody"; if AS gave the client a secret, set exchange-secret-file or exchange-secret-variable',
    ],
    [
      {
        client: {
          id: 'shut',
          secret: { kind: 'variable', name: 'SHUT', setting: 'exchange-secret-variable' },
          authentication: 'post',
        },
      },
      `${did} (HTTP 400 invalid_client): the secret came by post`,
      'check the client ID "shut" and the secret, and whether the server wants it as exchange-client-auth basic or post',
    ],
    [
      { client: { id: 'none' } },
      `${did} (HTTP 400 unauthorized_client): none may not use token-exchange`,
      'have AS permit the client "none" the grant type urn:ietf:params:oauth:grant-type:token-exchange',
    ],
    [
      { client, parameters: [['subject_token_type', 'odd']] },
      `${did} (HTTP 400 invalid_request): subject_token_type is unknown`,
      "check every exchange option against what the server documents; many also answer so if they do not accept the person's token",
    ],
  ])('of a strict server has its way out', async (own, message, hint) => {
    await using desk = await startDesk(rules)
    expect(await desk.exchange(toTokenExchange(desk.server, own), { SHUT: 'canary s' })).toEqual([
      'refused',
      message,
      hint,
    ])
  })

  test('comes after one renewal, where it is about the token', async () => {
    await using desk = await startDesk(rules, [{ iss: 'https://other.example' }, { iss: 'https://other.example' }, {}])
    expect(await desk.exchange(toJwtBearer(desk.server))).toEqual([
      'refused',
      `${did} (HTTP 400 invalid_grant): the token is not accepted: unexpected "iss" claim value`,
      'have AS accept tokens of this issuer and client; if the session was ended at the provider, sign out and in again',
    ])
    expect(desk.server.grants.length).toBe(2)
  })
})

describe('an answer that is not a token', () => {
  const busy = { status: 503, body: 'busy' }

  test('of a busy server is asked for again by RFC 8693, because nothing can happen twice', async () => {
    await using desk = await startDesk(rules)
    desk.server.answer(busy, busy)
    expect(await desk.exchange(toTokenExchange(desk.server))).toEqual({
      sub: 'alice',
      iss: desk.server.issuer,
      aud: [],
    })
    expect(desk.server.grants.length).toBe(3)
  })

  test('of a busy server ends RFC 7523, because it may have used the assertion', async () => {
    await using desk = await startDesk(rules)
    desk.server.answer(busy)
    expect(await desk.exchange(toJwtBearer(desk.server))).toEqual([
      'unavailable',
      'AS is busy or broken (HTTP 503)',
      'try again in a moment',
    ])
    expect(desk.server.grants.length).toBe(1)
  })

  test('that redirects is not followed', async () => {
    await using desk = await startDesk(rules)
    desk.server.answer({ status: 307, headers: { location: desk.server.tokenUrl }, body: '' })
    expect(await desk.exchange(toJwtBearer(desk.server))).toEqual([
      'unavailable',
      'AS answered the token exchange with a redirect, which is not followed (HTTP 307)',
      'set exchange-url to the address that it redirects to, if that is right',
    ])
    expect(desk.server.grants.length).toBe(1)
  })

  test('that is a page is reported', async () => {
    await using desk = await startDesk(rules)
    desk.server.answer({ body: '<html>' })
    expect(await desk.exchange(toTokenExchange(desk.server))).toEqual([
      'unavailable',
      'the answer of AS to the token exchange cannot be used: it is not a JSON object',
      'check that AS is the right server, and that nothing answers in its place',
    ])
  })
})

describe('metadata', () => {
  test('is looked for in both places, and reported where it is missing', async () => {
    await using desk = await startDesk(rules)
    const { origin } = new URL(desk.server.issuer)
    const endpoint = { issuer: `${origin}/other`, setting: 'exchange-issuer' }
    expect(await desk.exchange(toJwtBearer(desk.server, { endpoint }))).toEqual([
      'unavailable',
      'AS has no metadata that names its token endpoint',
      'correct exchange-issuer, or set exchange-url to the token endpoint',
    ])
    expect([desk.server.lookups, desk.server.grants]).toEqual([
      ['/.well-known/oauth-authorization-server/other', '/other/.well-known/openid-configuration'],
      [],
    ])
  })

  test('of another server is refused before anything is sent', async () => {
    await using desk = await startDesk(rules)
    desk.server.describe({ issuer: 'https://evil.example' })
    const endpoint = { issuer: desk.server.issuer, setting: 'exchange-issuer' }
    expect(await desk.exchange(toJwtBearer(desk.server, { endpoint }))).toEqual([
      'unavailable',
      'the metadata of AS is that of "https://evil.example", not of "http://AS/tenant"',
      'set exchange-issuer to the issuer exactly as the server writes it, if that is the right one',
    ])
    expect(desk.server.grants).toEqual([])
  })
})

test('a wrong clock causes a warning, and the token is used', async () => {
  await using desk = await startDesk(rules)
  const date = new Date(Date.now() + 600_000).toUTCString()
  desk.server.answer({ headers: { date }, body: { access_token: 'a.e30.c', token_type: 'Bearer', expires_in: 60 } })
  expect(await desk.exchange(toTokenExchange(desk.server))).toEqual({})
  const { host } = new URL(desk.server.tokenUrl)
  expect(desk.warnings).toEqual([
    `this machine's clock is 10 min behind that of ${host}; set the clock of this machine`,
  ])
})
