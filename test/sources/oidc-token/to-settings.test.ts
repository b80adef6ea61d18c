import { expect, test } from 'vitest'
import { requireArguments } from '../../../src/helper/options/arguments.ts'
import { resolveOptions, toValues } from '../../../src/helper/options/resolve-options.ts'
import { type OidcTokenOptions, oidcTokenOptions } from '../../../src/sources/oidc-token/oidc-token-options.ts'
import { toOidcSettings } from '../../../src/sources/oidc-token/to-settings.ts'
import { toFailureParts } from '../../setup/failure-parts.ts'

const program = 'oidc-token'
const client = ['--client-id', 'gatepass']
const issuer = ['--issuer', 'https://id.example.com/tenant']

async function read(...argv: string[]) {
  const given = await requireArguments(program, oidcTokenOptions, argv)
  const resolved = resolveOptions(program, oidcTokenOptions, { arguments: given })
  return toOidcSettings(toValues<OidcTokenOptions>(resolved), program)
}

async function findFailure(...argv: string[]) {
  return read(...argv).then(() => expect.fail('it was read'), toFailureParts)
}

test('an issuer is enough, with the defaults of the document', async () => {
  expect(await read(...client, ...issuer)).toEqual({
    clientId: 'gatepass',
    issuer: 'https://id.example.com/tenant',
    bearerTokenType: 'id_token',
    appendOfflineAccess: false,
    redirectHost: '127.0.0.1',
    additionalRedirectReferrerHosts: [],
    parameters: {},
  })
})

test('every option has its setting', async () => {
  expect(
    await read(
      ...[...client, '--authorization-url', 'https://id.example.com/a', '--token-url', 'http://localhost:8080/t'],
      ...['--revocation-url', 'https://id.example.com/r'],
      ...['--device-authorization-url', 'https://id.example.com/d', '--bearer-token-type', 'access_token'],
      ...['--scopes', 'api offline_access', '--resource', 'https://gateway.example.com', '--redirect-port', '8400'],
      ...['--redirect-host', 'localhost', '--redirect-path', '/back/here', '--response-mode', 'form_post'],
      ...['--additional-redirect-referrer-hosts', 'a.example  b.example', '--refresh-token-store', 'file'],
      ...['--authorization-parameter', 'access_type=offline', '--authorization-parameter', 'claims={"a"="b"}'],
    ),
  ).toEqual({
    clientId: 'gatepass',
    authorizationUrl: 'https://id.example.com/a',
    tokenUrl: 'http://localhost:8080/t',
    deviceAuthorizationUrl: 'https://id.example.com/d',
    revocationUrl: 'https://id.example.com/r',
    bearerTokenType: 'access_token',
    scopes: 'api offline_access',
    appendOfflineAccess: true,
    resource: 'https://gateway.example.com',
    redirectPort: 8400,
    redirectHost: 'localhost',
    redirectPath: '/back/here',
    responseMode: 'form_post',
    additionalRedirectReferrerHosts: ['a.example', 'b.example'],
    parameters: { access_type: 'offline', claims: '{"a"="b"}' },
  })
})

test('a refresh token is asked for where one is kept, and where it is not switched off', async () => {
  const isAsked = async (...argv: string[]) => (await read(...client, ...issuer, ...argv)).appendOfflineAccess
  const kept = ['--refresh-token-store', 'file']
  expect([await isAsked(), await isAsked(...kept), await isAsked(...kept, '--append-offline-access', 'false')]).toEqual(
    [false, true, false],
  )
})

const urls = ['--authorization-url', 'https://id.example.com/a', '--token-url', 'https://id.example.com/t']
const mustName = (name: string) => [
  'usage',
  `${name} is not a web address that can be used`,
  'write it in full and without a name or password, such as https://id.example.com',
]

test.each<[argv: string[], failure: string[]]>([
  [
    [],
    [
      'not-configured',
      'issuer must be set, or authorization-url and token-url',
      'set it by argument, variable or file; see: oidc-token --help',
    ],
  ],
  [
    urls.slice(0, 2),
    [
      'not-configured',
      'authorization-url is set, and token-url is not',
      'set token-url too, or issuer in place of all addresses',
    ],
  ],
  [
    ['--device-authorization-url', 'https://id.example.com/d'],
    [
      'not-configured',
      'device-authorization-url is set, and authorization-url and token-url are not',
      'set authorization-url and token-url too, or issuer in place of all addresses',
    ],
  ],
  [
    [...issuer, ...urls],
    [
      'usage',
      'issuer and authorization-url are both set; issuer and token-url are both set',
      'remove authorization-url: the issuer tells where its endpoints are; remove token-url: the issuer tells where its endpoints are',
    ],
  ],
  [
    [...urls, '--sign-in', 'device'],
    [
      'not-configured',
      'sign-in is device, and neither issuer nor device-authorization-url says where a code is given',
      'set device-authorization-url, or sign-in to browser',
    ],
  ],
  [['--issuer', 'id.example.com'], mustName('issuer')],
  [['--issuer', 'https://dana:canary@id.example.com'], mustName('issuer')],
  [[...urls.slice(0, 2), '--token-url', 'file:///canary'], mustName('token-url')],
  [
    ['--issuer', 'http://id.example.com'],
    [
      'usage',
      'issuer names id.example.com over plain http, where anybody on the network could take the sign-in',
      'write https:// into issuer',
    ],
  ],
  [
    ['--issuer', 'https://id.example.com/?canary'],
    ['usage', 'issuer has a part behind its path', 'end issuer before the first ? or #'],
  ],
  [
    ['--issuer', 'https://id.example.com/.well-known/openid-configuration'],
    [
      'usage',
      'issuer is the address of the configuration of a provider, not of the provider',
      'end issuer before /.well-known/',
    ],
  ],
  [
    [...issuer, '--bearer-token-type', 'access_token'],
    [
      'not-configured',
      'bearer-token-type is access_token, and scopes is not set',
      "set scopes to the scope of the gateway's API, because an access token without one is valid for no service",
    ],
  ],
  [
    [...issuer, '--scopes', 'openid "canary"'],
    ['usage', 'scopes has a character that no scope has', 'write the scopes with spaces between them'],
  ],
  ...['callback', '/a b', '/a?canary', '/a/../b', '//host/x#'].map((path): [string[], string[]] => [
    [...issuer, '--redirect-path', path],
    [
      'usage',
      'redirect-path is not the path of an address',
      'write it as it is registered, from the slash after host and port on, such as /callback',
    ],
  ]),
  [
    [...issuer, '--additional-redirect-referrer-hosts', 'https://login.example.com'],
    [
      'usage',
      'additional-redirect-referrer-hosts has a value that is not a host name',
      'write names such as login.example.com, without https:// and with spaces between them',
    ],
  ],
  [
    [...issuer, '--authorization-parameter', 'prompt'],
    ['usage', 'authorization-parameter has a value without a name', 'write each as NAME=VALUE'],
  ],
  [
    [...issuer, '--authorization-parameter', 'scope=canary', '--authorization-parameter', 'state=1'],
    [
      'usage',
      'authorization-parameter sets scope, which each sign-in sets itself; authorization-parameter sets state, which each sign-in sets itself',
      'set scopes; remove state',
    ],
  ],
  [
    [...issuer, '--authorization-parameter', 'client_secret=canary'],
    ['usage', 'authorization-parameter sets client_secret, which each sign-in sets itself', 'set client-secret-file'],
  ],
  [
    [...issuer, '--client-auth', 'post'],
    ['usage', 'client-auth is set, and no secret is', 'set client-secret-file, or remove client-auth'],
  ],
  [
    [...issuer, '--authorization-parameter', 'prompt=login', '--authorization-parameter', 'prompt=none'],
    ['usage', 'authorization-parameter has two values with the same name', 'write each name once'],
  ],
  [
    ['--issuer', 'canary', '--bearer-token-type', 'access_token'],
    [
      'usage',
      'issuer is not a web address that can be used; bearer-token-type is access_token, and scopes is not set',
      "write it in full and without a name or password, such as https://id.example.com; set scopes to the scope of the gateway's API, because an access token without one is valid for no service",
    ],
  ],
])('%j cannot be used', async (argv, failure) => {
  expect(await findFailure(...client, ...argv)).toEqual(failure)
})
