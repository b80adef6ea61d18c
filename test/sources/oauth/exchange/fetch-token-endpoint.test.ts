import { expect, onTestFinished, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { fetchTokenEndpoint, parseMetadata } from '../../../../src/sources/oauth/exchange/fetch-token-endpoint.ts'
import { parseSecureAddress } from '../../../../src/sources/oauth/exchange/parse-address.ts'
import { startServer } from '../../../stand-ins/lying-provider/start-server.ts'
import { startProviderParts } from '../oidc/oidc-bench.ts'

const issuer = 'https://as.example/tenant'
const token_endpoint = 'https://login.example/token'

function attempt(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    const { kind, message, hint } = error as HelperError
    return [kind, message, hint]
  }
}

const parse = (metadata: unknown) =>
  attempt(() => parseMetadata(JSON.stringify(metadata), { issuer, setting: 'exchange-issuer' }))

test.each([
  ['/a/b/', ['/.well-known/oauth-authorization-server/a/b', '/a/b/.well-known/openid-configuration']],
  ['', ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']],
])('metadata of an issuer with the path "%s" is looked for where both standards put it', async (path, places) => {
  const asked: (string | undefined)[] = []
  const server = await startServer(({ url }, response) => {
    asked.push(url)
    response.writeHead(404).end()
  })
  onTestFinished(() => server.close())
  const { call } = await startProviderParts()
  const issuer = `${server.url}${path}`
  await expect(fetchTokenEndpoint({ issuer, setting: 'exchange-issuer' }, call)).rejects.toEqual(
    new HelperError(
      'unavailable',
      `${new URL(server.url).host} has no metadata that names its token endpoint`,
      'correct exchange-issuer, or set exchange-url to the token endpoint',
    ),
  )
  expect(asked).toEqual(places)
})

test.each([408, 429, 503])('metadata that a server answers with HTTP %i is not taken for missing', async (status) => {
  const server = await startServer((_, response) => {
    response.writeHead(status).end()
  })
  onTestFinished(() => server.close())
  const { call } = await startProviderParts()
  const { host } = new URL(server.url)
  await expect(fetchTokenEndpoint({ issuer: server.url, setting: 'exchange-issuer' }, call)).rejects.toEqual(
    new HelperError('unavailable', `${host} is busy or broken (HTTP ${status})`, 'try again in a moment'),
  )
})

test('metadata names the endpoint, and how a client authenticates', () => {
  const named = { issuer, token_endpoint, token_endpoint_auth_methods_supported: ['client_secret_post', 7] }
  expect([parse({ issuer, token_endpoint }), parse(named)]).toEqual(
    [undefined, ['client_secret_post']].map((authMethods) => ({
      url: new URL(token_endpoint),
      setting: 'exchange-issuer',
      authMethods,
    })),
  )
})

/** Returns a server whose metadata is at a path with a slash at its end; it redirects the path without one to `toLocation`. */
async function resolveMoved(toLocation: (path: string) => string) {
  const server = await startServer(({ url = '' }, response) => {
    if (!url.endsWith('/')) response.writeHead(301, { location: toLocation(url) }).end()
    else response.end(JSON.stringify({ issuer: server.url, token_endpoint: `${server.url}/token` }))
  })
  onTestFinished(() => server.close())
  const { call } = await startProviderParts()
  const name = (text: string) => text.replace(new URL(server.url).host, 'HOST')
  return fetchTokenEndpoint({ issuer: server.url, setting: 'exchange-issuer' }, call).then(
    ({ url, ...rest }) => ({ ...rest, url: name(url.href) }),
    ({ kind, message }: HelperError) => [kind, name(message)],
  )
}

test('a redirect of the metadata within its origin is followed', async () => {
  expect(await resolveMoved((path) => `${path}/`)).toEqual({ setting: 'exchange-issuer', url: 'http://HOST/token' })
})

test('a redirect of the metadata to another origin is named', async () => {
  expect(await resolveMoved(() => 'https://else.example/as?x=y')).toEqual([
    'unavailable',
    'HOST redirects the request for its metadata to https://else.example/as, which is not followed (HTTP 301)',
  ])
})

const exact = 'set exchange-issuer to the issuer exactly as the server writes it, if that is the right one'
const set = 'set exchange-url to the token endpoint'

test.each<[metadata: unknown, problem: string, hint: string]>([
  [[], 'is not a JSON object', 'check that exchange-issuer is the issuer of the server'],
  [{ issuer: `${issuer}/`, token_endpoint }, `is that of "${issuer}/", not of "${issuer}"`, exact],
  [{ token_endpoint }, `is that of no issuer, not of "${issuer}"`, exact],
  [{ issuer }, 'names no token endpoint', set],
  [{ issuer, token_endpoint: 'ftp://as.example' }, 'names no token endpoint', set],
  [{ issuer, token_endpoint: 'http://127.0.0.1:8080/token' }, 'names no https address as its token endpoint', set],
])('metadata %j is refused', (metadata, problem, hint) => {
  expect(parse(metadata)).toEqual(['unavailable', `the metadata of as.example ${problem}`, hint])
})

test('metadata with an address over plain http is refused', () => {
  expect(parse({ issuer, token_endpoint: 'http://as.example/token' })).toEqual([
    'not-configured',
    'as.example would be asked over plain http, which anybody on the network can read',
    'write https:// in front of as.example',
  ])
})

const full = 'write it in full, without a name, password or fragment, such as https://id.example/oauth2/token'

test.each<[address: string, kind: string, problem: string, hint: string]>([
  ['as.example/token', 'usage', 'exchange-url: it is not an address that can be used', full],
  ['https://a:b@as.example', 'usage', 'exchange-url: it is not an address that can be used', full],
  ['https://as.example/#a', 'usage', 'exchange-url: it is not an address that can be used', full],
  [
    'http://as.example',
    'not-configured',
    'as.example would be asked over plain http, which anybody on the network can read',
    'write https:// into exchange-url',
  ],
])('nothing secret is sent to %s', (address, kind, problem, hint) => {
  expect(attempt(() => parseSecureAddress(address, 'exchange-url'))).toEqual([kind, problem, hint])
})
