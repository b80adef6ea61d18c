import { describe, expect, test } from 'vitest'
import { checkDocument } from '../../../src/config/check/check-document.ts'
import type { DocumentCheckOptions, HelperFacts } from '../../../src/config/check/rule.ts'
import type { FieldValue } from '../../../src/config/read/parse-fields.ts'
import { read, summarize } from '../read/read-text.ts'

const helper = { kind: 'helper-script', command: '/opt/gatepass/okta-jwt' }
const oidc = { clientId: 'c', issuer: 'https://id.example' }
const document = (credential: object, inference: object = {}) => ({
  inference: { provider: 'gateway', baseUrl: 'https://gateway.example', ...inference, credential },
})

/** Returns the findings of a check, without the consent that most documents ask for. */
function check(content: unknown, options: DocumentCheckOptions = { os: 'linux' }): string[] {
  return summarize({ findings: checkDocument(read(content), options) }).filter((line) => line !== 'info consent-asked')
}

const misspelledAs = (key: string) => ['error provider-missing inference.provider', `warning unknown-field ${key}`]
const notActivated = (...notes: string[]) =>
  [...notes, 'not-activated inference.provider'].map((note) => `info ${note}`)

test('a valid document has no finding but the consent it asks for', () => {
  expect(checkDocument(read(document(helper)), { os: 'macos', clientVersion: '2.7032.0', reader: 'suite' })).toEqual([
    {
      path: '',
      code: 'consent-asked',
      severity: 'info',
      message: 'users are asked to agree before these take effect: inference.baseUrl, inference.credential.command',
      hint: '',
    },
  ])
})

test.each([{ kind: 'static', apiKey: 'k8Jd72nfn' }, { kind: 'external-idp', oidc }, { kind: 'interactive' }])(
  'a valid document of the kind $kind has no finding',
  (credential) => {
    expect(check(document(credential))).toEqual([])
  },
)

describe('a finding about what is missing', () => {
  test.each([
    ['the provider', { inference: { baseUrl: 'https://x.example' } }, ['error provider-missing inference.provider']],
    [
      'the provider, beside what nobody knows',
      { inference: { baseUrl: 'https://x.example', bogus: 1 } },
      ['error provider-missing inference.provider', 'warning unknown-field inference.bogus'],
    ],
    [
      'the provider, which is misspelled',
      { inference: { Provider: 'gateway' } },
      ['error provider-missing inference.provider', 'warning unknown-field inference.Provider'],
    ],
    ['the cluster, which is misspelled', { Inference: { provider: 'gateway' } }, misspelledAs('Inference')],
    ['the cluster, with a wrong letter', { inferance: { provider: 'gateway' } }, misspelledAs('inferance')],
    [
      'the provider of a flat document',
      { inferenceGatewayBaseUrl: 'https://x.example', inferenceprovider: 'gateway' },
      ['error provider-missing inferenceProvider', 'warning unknown-field inferenceprovider'],
    ],
    ['everything', {}, ['info not-activated inference.provider']],
    ['everything in the cluster', { inference: {} }, ['info not-activated inference.provider']],
    ['everything but another cluster', { telemetry: {} }, notActivated('outside-specification telemetry')],
    [
      'the address and the credential',
      { inference: { provider: 'gateway' } },
      ['error required-missing inference.baseUrl', 'error credential-missing inference.credential.kind'],
    ],
    [
      'the address, which was invalid',
      { inference: { provider: 'gateway', baseUrl: 'x', credential: helper } },
      ['error invalid-value inference.baseUrl'],
    ],
    ['the key', document({ kind: 'static' }), ['error required-missing inference.credential.apiKey']],
    ['the identity provider', document({ kind: 'external-idp' }), ['error required-missing inference.credential.oidc']],
  ])('names %s', (_what, content, expected) => {
    expect(check(content)).toEqual(expected)
  })

  const identifier = 'error required-missing inference.credential.oidc.clientId'
  const issuer = 'error required-missing inference.credential.oidc.issuer'
  const withoutPart: readonly (readonly [what: string, oidc: object, missing: readonly string[]])[] = [
    ['an issuer alone', { issuer: 'https://id.example' }, [identifier]],
    ['a client ID alone', { clientId: 'c' }, [issuer]],
    [
      'a token URL without the other',
      { clientId: 'c', tokenUrl: 'https://t.example' },
      ['error required-missing inference.credential.oidc.authorizationUrl'],
    ],
    [
      'an authorization URL without the other',
      { clientId: 'c', authorizationUrl: 'https://t.example' },
      ['error required-missing inference.credential.oidc.tokenUrl'],
    ],
    ['no part', {}, [identifier, issuer]],
    [
      'a part that is wrong',
      { redirectPort: 80 },
      ['error out-of-range inference.credential.oidc.redirectPort', identifier, issuer],
    ],
  ]
  test.each(
    (['interactive', 'external-idp'] as const).flatMap((kind) => withoutPart.map((row) => [kind, ...row] as const)),
  )('names the parts of an identity provider of the kind %s that has %s', (kind, _what, oidc, missing) => {
    expect(check(document({ kind, oidc }))).toEqual(missing)
  })

  test.each([
    [{}, []],
    ['{}', ['info read-as-managed']],
  ])('names parts of an identity provider as the file spells it: %j', (inferenceGatewayOidc, others) => {
    const content = { inferenceProvider: 'gateway', inferenceGatewayBaseUrl: 'https://x.example' }
    expect(check({ ...content, inferenceCredentialKind: 'interactive', inferenceGatewayOidc })).toEqual([
      'error required-missing inferenceGatewayOidc.clientId',
      'error required-missing inferenceGatewayOidc.issuer',
      'warning deprecated-spelling inferenceGatewayOidc',
      ...others,
    ])
  })

  test.each([
    ['linux', { commandWindows: 'C:\\h.exe' }, ['error required-missing inference.credential.command']],
    ['windows', { command: '/h' }, ['error required-missing inference.credential.commandWindows']],
    ['windows', { command: 'C:/h.exe' }, ['warning windows-path-in-command inference.credential.command']],
    ['windows', { command: '/h', commandWindows: 'C:\\h.exe' }, []],
    [undefined, { commandWindows: 'C:\\h.exe' }, []],
  ] as const)(
    'on %s, names the command of that system where it is missing or another one: %j',
    (os, paths, expected) => {
      expect(check(document({ kind: 'helper-script', ...paths }), os ? { os } : {})).toEqual(expected)
    },
  )

  test('names the key that the file would use', () => {
    expect(check({ inferenceProvider: 'gateway', inferenceCredentialKind: 'external-idp' })).toEqual([
      'error required-missing inferenceGatewayBaseUrl',
      'error required-missing inferenceIdpOidc',
    ])
  })
})

test('does not occur in a document of another provider', () => {
  expect(check({ inference: { provider: 'cloud', baseUrl: 'x', region: 'y' } })).toEqual([
    'warning foreign-provider inference.provider',
  ])
  expect(check({ inferenceProvider: 'cloud', inferenceGatewayBaseUrl: 'x' })).toEqual([
    'warning foreign-provider inferenceProvider',
    'info outside-specification inferenceGatewayBaseUrl',
  ])
})

describe('paths', () => {
  test.each([
    ['/opt/h --profile dev', ['arguments-in-path']],
    ['"/opt/h"', ['arguments-in-path', 'relative-path']],
    ['/usr/bin/python3 /opt/h.py', ['arguments-in-path']],
    ['/Library/Application Support/Gatepass/h', []],
    ['~/bin/h', ['tilde-in-path']],
    ['/home/$USER/h', ['variable-in-path']],
    ['/Users/%USERNAME%/h', ['variable-in-path']],
    ['h', ['relative-path']],
    ['', ['relative-path']],
    ['C:\\h.exe', ['relative-path']],
    ['//server/h', ['unc-path']],
    ['/opt/h\0', ['control-in-path']],
    ['/opt/h\n', ['control-in-path']],
    ['/opt/a\rb', ['control-in-path']],
    ['/opt/h ', ['blank-at-end']],
    ['/opt/h\u00a0', ['blank-at-end']],
    ['/opt/', ['slash-at-end']],
    ['/opt/h.unknown', []],
    ['/opt/h\\', []],
  ])('%j on Linux has the findings %j', (command, codes) => {
    expect(check(document({ ...helper, command }))).toEqual(
      codes.map((code) => `error ${code} inference.credential.command`),
    )
  })

  test.each([
    ['C:\\Users\\%USERNAME%\\h.exe', ['variable-in-path']],
    ['C:\\Program Files\\h.exe --x', ['arguments-in-path']],
    ['C:\\Program Files\\h.exe', []],
    ['C:/h.CMD', []],
    ['C:/h.bat', []],
    ['C:/h.com', []],
    ['C:/h.ps1', []],
    ['C:/h', ['file-type']],
    ['C:/h.py', ['file-type']],
    ['C:/h.exe.', ['file-type']],
    ['C:/h.exe ', ['blank-at-end']],
    ['C:\\Gatepass\\', ['slash-at-end']],
    ['C:/Gatepass/', ['slash-at-end']],
    ['C:/h.exe\n', ['control-in-path']],
  ])('%j on Windows has the findings %j', (commandWindows, codes) => {
    expect(check(document({ ...helper, commandWindows }), { os: 'windows' })).toEqual(
      codes.map((code) => `error ${code} inference.credential.commandWindows`),
    )
  })

  test.each([
    ['linux', '/opt/aws', []],
    ['linux', 'C:\\aws', ['warning path-of-one-system inference.credential.awsEnv.awsDir']],
    ['windows', 'C:\\aws', []],
    ['windows', '/opt/aws', ['warning path-of-one-system inference.credential.awsEnv.awsDir']],
    ['windows', 'aws', ['error relative-path inference.credential.awsEnv.awsDir']],
    [undefined, '/opt/aws', ['warning path-of-one-system inference.credential.awsEnv.awsDir']],
    [undefined, 'C:\\aws', ['warning path-of-one-system inference.credential.awsEnv.awsDir']],
  ] as const)(
    'that only one system can read have a finding in a document for two, read on %s: %s',
    (os, awsDir, expected) => {
      const content = document({ ...helper, commandWindows: 'C:\\h.exe', awsEnv: { awsDir } })
      expect(check(content, os ? { os } : {})).toEqual(expected)
    },
  )

  test('of the cloud tools have the findings of other paths', () => {
    const awsEnv = { awsDir: '/etc/aws/', awsCliPath: '/opt/aws/' }
    expect(check(document({ ...helper, awsEnv }))).toEqual([
      'error slash-at-end inference.credential.awsEnv.awsCliPath',
    ])
    expect(check(document({ ...helper, awsEnv: { awsDir: '/etc/aws ', awsCliPath: '/opt/aws\n' } }))).toEqual([
      'error blank-at-end inference.credential.awsEnv.awsDir',
      'error control-in-path inference.credential.awsEnv.awsCliPath',
    ])
  })

  test('of the cloud tools are absolute too', () => {
    expect(check(document({ ...helper, awsEnv: { awsDir: '~/.aws', awsCliPath: 'aws' } }))).toEqual([
      'error tilde-in-path inference.credential.awsEnv.awsDir',
      'error relative-path inference.credential.awsEnv.awsCliPath',
    ])
  })

  test('the hint for arguments names the field for them', () => {
    const [found] = checkDocument(read(document({ ...helper, command: '/h --x' })), { os: 'linux' })
    expect(found?.hint).toBe(
      'write only the path here, without quotes, and put the arguments into inference.credential.args',
    )
  })
})

describe('a misplaced credential', () => {
  test.each([
    '<API_KEY>',
    'your-api-key',
    'changeme',
    'xxxxxxxx',
    'sk-vendor-...',
    'sk-vendor-<key>',
    '$API_KEY',
    'TODO',
  ])('%s is a placeholder in a key', (apiKey) => {
    expect(check(document({ kind: 'static', apiKey }))).toEqual(['error placeholder-key inference.credential.apiKey'])
    expect(check(document({ ...helper, apiKey }))).toEqual([
      'warning other-kind inference.credential.apiKey',
      'warning placeholder-key-unused inference.credential.apiKey',
    ])
  })

  test('is found among the headers', () => {
    const customHeaders = { 'x-route': 'eu', 'x-org-token': 'a', 'x-org': 'ghp_16C7e42F292c6912E7710c838347Ae178B4a' }
    expect(check(document(helper, { customHeaders }))).toEqual([
      'error credential-in-headers inference.customHeaders.x-org-token',
      'error credential-in-headers inference.customHeaders.x-org',
    ])
  })

  test('is not shown by any finding', () => {
    const customHeaders = { 'Set-Cookie': 'hunter2', 'x-key': 'hunter2', Expect: 'hunter2', 'x-a': 'sk-hunter2\n' }
    const findings = checkDocument(read(document({ kind: 'static', apiKey: '<hunter2>' }, { customHeaders })))
    expect(findings.map(({ code }) => code)).toEqual([
      'header-refused',
      'header-refused',
      'credential-in-headers',
      'credential-in-headers',
      'placeholder-key',
      'consent-asked',
    ])
    expect(JSON.stringify(findings)).not.toContain('hunter2')
  })
})

describe('the gateway of a helper that makes keys for services of AWS', () => {
  const codes = (host: string, facts: HelperFacts) =>
    check(document(helper, { baseUrl: `https://${host}` }), { os: 'linux', helpers: new Map([['okta-jwt', facts]]) })
  const [bedrock, external] = ['bedrock-runtime.eu-west-1.amazonaws.com', 'aws-external-vendor.eu-west-1.api.aws']
  const made = (name: string, isSet = true, region = 'eu-west-1') => ({ keyService: { name, isSet }, region })

  test.each<[host: string, facts: HelperFacts, found: string[]]>([
    ['gateway.example.com', made('bedrock'), []],
    [bedrock, {}, []],
    [bedrock, made('bedrock', false), []],
    [bedrock, made('aws-external-vendor'), ['error gateway-service inference.credential.args']],
    [bedrock, made('bedrock', true, 'us-east-1'), ['error gateway-region inference.credential.args']],
    [external, made('aws-external-vendor'), []],
    [external, made('bedrock', false), ['warning gateway-service-unset inference.credential.args']],
  ])('%s is compared with the service and the region of the key: %j', (host, facts, found) => {
    expect(codes(host, facts)).toEqual(found)
  })
})

describe('times', () => {
  const helpers = new Map([['okta-jwt', { tokenLifeSec: 900, clientTtlSec: 600, clientTimeoutSec: 60 }]])
  const codes = (credential: object, inference: object = {}) =>
    check(document({ ...helper, ...credential }, inference), { os: 'linux', helpers })

  test.each<[credential: object, findings: string[]]>([
    [{ ttlSec: 600 }, []],
    [{ ttlSec: 600, command: '/opt/gatepass', args: ['okta-jwt'] }, []],
    [{}, ['warning ttl-beyond-token inference.credential.ttlSec', 'warning ttl-differs inference.credential.ttlSec']],
    [
      { ttlSec: 600, timeoutSec: 30, silentRefreshEnabled: false },
      ['warning timeout-differs inference.credential.timeoutSec'],
    ],
  ])('%j are compared with those of the helper that is named', (credential, findings) => {
    expect(codes(credential)).toEqual(findings)
  })

  test('are compared with the longest ttl that suits a token', () => {
    const facts = new Map([['okta-jwt', { tokenLifeSec: 900, longestTtlSec: 840 }]])
    const found = (ttlSec: number) => check(document({ ...helper, ttlSec }), { os: 'linux', helpers: facts })
    expect([found(840), found(841)]).toEqual([[], ['warning ttl-beyond-token inference.credential.ttlSec']])
  })

  test.each<[what: string, credential: object, inference: object, found: readonly string[]]>([
    ['a ttl of two minutes', { ttlSec: 120 }, {}, ['warning ttl-without-turn-check inference.credential.ttlSec']],
    ['a ttl above two minutes', { ttlSec: 121 }, {}, []],
    [
      'a timeout above that of a refresh',
      { timeoutSec: 21 },
      {},
      ['info refresh-clamped inference.credential.timeoutSec'],
    ],
    ['the timeout of a refresh', { timeoutSec: 20 }, {}, []],
    [
      'a session shorter than the ttl',
      {},
      { sessionLifetimeSec: 3599 },
      ['warning session-shorter-than-ttl inference.sessionLifetimeSec'],
    ],
  ])('are compared with each other: %s', (_what, credential, inference, found) => {
    expect(check(document({ ...helper, ...credential }, inference))).toEqual(found)
  })
})

describe('the time at which a document is fetched again', () => {
  const now = Date.UTC(2030, 0, 1)
  const century = Date.UTC(2129, 11, 31)
  test.each([
    [undefined, []],
    [now / 1000 + 1, []],
    [now + 1, []],
    [century, []],
    [now, ['warning expired expiresAt']],
    [now / 1000, ['warning expired expiresAt']],
    [1, ['warning expired expiresAt']],
    [century + 10 * 24 * 3600_000, ['warning expires-late expiresAt']],
    [now * 1000, ['warning expires-late expiresAt']],
  ])('%j has the findings %j', (expiresAt, expected) => {
    expect(check({ ...document(helper), expiresAt }, { os: 'linux', now })).toEqual(expected)
  })
})

test.each(['', ' '])('the profile %j is not a name', (profile) => {
  expect(check(document({ ...helper, awsEnv: { profile } }))).toEqual([
    'error empty-profile inference.credential.awsEnv.profile',
  ])
})

describe('sign-in', () => {
  test.each([
    [{ bearerTokenType: 'access_token' }, 'error scopes-missing inference.credential.oidc.scopes'],
    [{ issuer: 'http://id.example' }, 'error insecure-url inference.credential.oidc.issuer'],
    [
      { authorizationUrl: 'https://a.example', tokenUrl: 'https://t.example' },
      'warning issuer-and-urls inference.credential.oidc.issuer',
    ],
    [{ appendOfflineAccess: false }, 'warning offline-access-off inference.credential.oidc.appendOfflineAccess'],
    [{ redirectHost: 'localhost' }, 'info redirect-localhost inference.credential.oidc.redirectHost'],
  ])('has, with the fields %j, the finding %s', (fields, expected) => {
    expect(check(document({ kind: 'external-idp', oidc: { ...oidc, ...fields } }))).toEqual([expected])
  })

  const entra = 'https://login.microsoftonline.com/acme.example/v2.0'
  const google = { issuer: 'https://accounts.google.com', appendOfflineAccess: false }

  test.each<[fields: object, ...findings: string[]]>([
    [{ issuer: entra, redirectHost: 'localhost' }],
    [{ issuer: entra }, 'warning redirect-host-unlisted redirectHost'],
    [{ issuer: `${entra}/.well-known/openid-configuration`, redirectHost: 'localhost' }, 'error issuer-inexact issuer'],
    [
      { issuer: 'https://login.microsoftonline.com/acme.example', redirectHost: 'localhost' },
      'error issuer-inexact issuer',
    ],
    [
      { issuer: 'https://login.microsoftonline.us/organizations/v2.0', redirectHost: 'localhost' },
      'warning issuer-of-any-tenant issuer',
    ],
    [{ issuer: entra, redirectHost: 'localhost', resource: 'api://gateway' }, 'error resource-refused resource'],
    [{ issuer: 'https://sts.windows.net/acme/', redirectHost: 'localhost', resource: 'api://gateway' }],
    [
      { issuer: entra, redirectHost: 'localhost', bearerTokenType: 'access_token', scopes: 'openid User.Read' },
      'warning access-token-unverifiable bearerTokenType',
    ],
    [{ issuer: entra, redirectHost: 'localhost', bearerTokenType: 'access_token', scopes: 'api://gateway/use' }],
    [{ issuer: 'https://acme.okta.com/oauth2/default' }, 'warning redirect-port-unset redirectPort'],
    [{ issuer: 'https://acme.okta.com/oauth2/default', redirectPort: 8400 }],
    [
      { issuer: 'https://acme.okta.com', redirectPort: 8400, bearerTokenType: 'access_token', scopes: 'use' },
      'warning access-token-unverifiable bearerTokenType',
    ],
    [google, 'warning client-secret-needed clientId', 'warning refresh-token-unasked issuer'],
    [
      { ...google, appendOfflineAccess: undefined },
      'error offline-access-refused appendOfflineAccess',
      'warning client-secret-needed clientId',
      'warning refresh-token-unasked issuer',
    ],
    [
      { ...google, scopes: 'openid offline_access' },
      'error offline-access-refused scopes',
      'warning client-secret-needed clientId',
      'warning refresh-token-unasked issuer',
    ],
    [
      { ...google, bearerTokenType: 'access_token', scopes: 'openid' },
      'warning client-secret-needed clientId',
      'warning refresh-token-unasked issuer',
      'warning access-token-unverifiable bearerTokenType',
    ],
    // A path is no proof of a product.
    [{ issuer: 'https://id.example/realms/acme', resource: 'gateway' }],
    [
      { issuer: 'https://acme.eu.auth0.com/', redirectPort: 8400, bearerTokenType: 'access_token', scopes: 'use' },
      'warning access-token-unverifiable bearerTokenType',
    ],
    [{ issuer: 'https://sts.example/adfs', redirectPort: 8400, resource: 'https://gateway.example' }],
    [
      {
        issuer: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_a',
        redirectPort: 8400,
        appendOfflineAccess: false,
      },
      'error redirect-host-refused redirectHost',
    ],
  ])('follows the rules of its provider: %j', (fields, ...findings) => {
    const path = 'inference.credential.oidc.'
    const found = check(document({ kind: 'external-idp', oidc: { ...oidc, ...fields } }))
    expect(found).toEqual(findings.map((finding) => finding.replace(/(?=\w+$)/, path)))
  })

  test('follows the rules of the provider that a helper signs in with', () => {
    const { issuer } = google
    const provider = { issuer, parameters: { access_type: 'offline' }, signIn: 'device', redirectHost: '127.0.0.1' }
    const facts: HelperFacts = { provider: { ...provider, appendOfflineAccess: true } }
    const options: DocumentCheckOptions = { os: 'linux', helpers: new Map([['okta-jwt', facts]]) }
    const args = 'inference.credential.args'
    const found = checkDocument(read(document(helper)), options).filter(({ code }) => code !== 'consent-asked')
    expect(found.map(({ path, code, hint }) => [path, code, hint])).toEqual([
      [args, 'offline-access-refused', 'set --append-offline-access to false'],
      [
        args,
        'client-secret-needed',
        'write the secret into a file on each machine, and set --client-secret-file to its path',
      ],
      [args, 'refresh-token-unasked', 'set --authorization-parameter for each: prompt=consent'],
      [args, 'device-grant-missing', 'set --sign-in to browser'],
    ])
  })

  test.each([
    ['linux', 'the identity broker (microsoft-identity-broker, with the Intune portal)'],
    ['macos', 'the Company Portal app with its single sign-on extension'],
    ['windows', 'the Web Account Manager (WAM), a part of Windows'],
  ] as const)('with the broker of %s names it', (os, name) => {
    const result = read(document({ kind: 'interactive', authFlow: 'broker' }))
    const found = checkDocument(result, { os }).filter(({ code }) => code === 'broker-needed')
    expect(found).toEqual([
      {
        code: 'broker-needed',
        severity: 'info',
        path: 'inference.credential.authFlow',
        message: `the sign-in needs the operating system's broker, ${name}; the client asks it for a token of the account that the device is signed in with, and no browser opens`,
        hint: 'install it on every machine, or remove this so that a browser opens',
        line: 1,
        column: 107,
      },
    ])
  })

  test.each([
    ['id.example', undefined],
    ['id.example login.example  10.0.0.1 [::1] LOCALHOST', undefined],
    ['https://id.example', 'it has a URL, and a host has no scheme'],
    ['id.example login.example/path', 'it has a path, which no host has'],
    ['id.example,login.example', 'hosts are separated by commas or semicolons, so the client reads them as one'],
    ['id.example, login.example', 'hosts are separated by commas or semicolons, so the client reads them as one'],
    ['*.id.example', 'it has a wildcard, which no client expands'],
    ['id.example:8443', 'it has a port, which no host name has'],
    ['id_example', 'it has characters that no host name has'],
  ])('is checked for the hosts that it may come back from: %j', (additionalRedirectReferrerHosts, message) => {
    const content = document({ kind: 'external-idp', oidc: { ...oidc, additionalRedirectReferrerHosts } })
    const found = checkDocument(read(content)).filter(({ code }) => code !== 'consent-asked')
    const path = 'inference.credential.oidc.additionalRedirectReferrerHosts'
    const hint = 'write host names alone, with spaces between them'
    const at = { line: 1, column: 161 }
    expect(found).toEqual(message ? [{ path, code: 'not-a-host', severity: 'error', message, hint, ...at }] : [])
  })

  test('may ask for offline_access by itself', () => {
    expect(
      check(
        document({
          kind: 'external-idp',
          oidc: { ...oidc, appendOfflineAccess: false, scopes: 'openid offline_access' },
        }),
      ),
    ).toEqual([])
  })
})

test('an unencrypted gateway is allowed on this machine only', () => {
  expect(check(document(helper, { baseUrl: 'http://gateway.example' }))).toEqual([
    'warning insecure-base-url inference.baseUrl',
  ])
  expect(check(document(helper, { baseUrl: 'http://127.0.0.1:8080' }))).toEqual([])
})

test.each([
  ['https://gateway.example', []],
  ['https://gateway.example/team/v1beta', []],
  ['https://gateway.example/v1/team', []],
  ['https://gateway.example?x=1', ['base-url-query']],
  ['https://gateway.example/?', ['base-url-query']],
  ['https://gateway.example/#x?', ['base-url-query']],
  ['https://gateway.example/v1', ['base-url-api-path']],
  ['https://gateway.example/team/v1/', ['base-url-api-path']],
  ['https://gateway.example/v1/messages', ['base-url-api-path']],
  ['https://gateway.example/v1/messages/?x#y', ['base-url-query', 'base-url-api-path']],
])('the address %s is checked for a query and the path of the API', (baseUrl, codes) => {
  expect(check(document(helper, { baseUrl }))).toEqual(codes.map((code) => `warning ${code} inference.baseUrl`))
})

test('the address of the API is shown as clients would call it', () => {
  const content = document(helper, { baseUrl: 'https://gateway.example/v1/messages' })
  expect(checkDocument(read(content), { os: 'linux' })[0]).toEqual({
    path: 'inference.baseUrl',
    code: 'base-url-api-path',
    severity: 'warning',
    message: 'it ends with /v1/messages, so requests go to …/v1/messages/v1/messages',
    hint: 'remove /v1/messages from its end',
    line: 1,
    column: 36,
  })
})

describe('a client release', () => {
  test('does not read newer fields', () => {
    const content = document({ ...helper, args: ['x'] }, { sessionLifetimeSec: 9000 })
    expect(check(content, { os: 'linux', clientVersion: '1.14271.0' })).toEqual([
      'error newer-than-client inference.credential.args',
    ])
    expect(check(content, { os: 'linux', clientVersion: '1.9999.0' })).toEqual([
      'error newer-than-client inference.sessionLifetimeSec',
      'error newer-than-client inference.credential.args',
    ])
  })

  test.each([
    ['linux', []],
    ['macos', []],
    ['windows', ['error newer-than-client inference.credential.commandWindows']],
  ] as const)('on %s need not know the path of another system', (os, findings) => {
    const content = document({ ...helper, commandWindows: 'C:/h.exe' })
    expect(check(content, { os, clientVersion: '2.2552.9' })).toEqual(findings)
  })

  test.each([
    [
      'or remove it and name a script in inference.credential.command that runs the helper with its arguments',
      '/opt/h',
      ['x'],
    ],
    ['or remove it and set its options in a file or by variables: see okta-jwt --help', '/opt/okta-jwt', ['--x']],
    [
      'or remove it, name okta-jwt itself in inference.credential.command and set its options in a file or by variables: see okta-jwt --help',
      '/opt/gatepass',
      ['okta-jwt', '--x'],
    ],
  ])('without arguments can be updated, %s', (alternative, command, args) => {
    const content = document({ kind: 'helper-script', command, args })
    const options = { os: 'linux', clientVersion: '2.109.9', helpers: new Map([['okta-jwt', {}]]) } as const
    expect(checkDocument(read(content), options)[0]?.hint).toBe(`update the client to 2.110.0, ${alternative}`)
  })

  test('may not know a kind', () => {
    expect(check(document({ kind: 'external-idp', oidc }), { clientVersion: '2.7031.9' })).toEqual([
      'error newer-than-client inference.credential.kind',
      'error newer-than-client inference.credential.oidc.clientId',
      'error newer-than-client inference.credential.oidc.issuer',
    ])
  })

  const flat = { inferenceProvider: 'gateway', inferenceGatewayBaseUrl: 'https://x.example' }

  test('reads an old spelling from its own release on, and is advised to change it once it reads the new one', () => {
    const content = { ...flat, inferenceCredentialKind: 'interactive', inferenceGatewayOidc: oidc }
    expect(['1.6888.9', '2.7031.9', '2.7032.0'].map((clientVersion) => check(content, { clientVersion }))).toEqual([
      [
        'error newer-than-client inferenceCredentialKind',
        'error newer-than-client inferenceGatewayOidc.clientId',
        'error newer-than-client inferenceGatewayOidc.issuer',
      ],
      [],
      ['warning deprecated-spelling inferenceGatewayOidc'],
    ])
  })

  test.each([
    [
      'a helper',
      { inferenceCredentialHelper: helper.command },
      'set it to "helper-script"',
      'set it to "helper-script"',
    ],
    [
      'a provider by its old spelling',
      { inferenceGatewayOidc: oidc },
      'set it to "interactive"',
      'set it to "external-idp"',
    ],
    ['a provider', { inferenceIdpOidc: oidc }, undefined, 'set it to "external-idp"'],
  ])('is advised to name the kind of %s where it reads that', (_what, source, before, since) => {
    const hints = ['1.8554.9', '1.8555.0', '2.7031.9', '2.7032.0', undefined].map(
      (clientVersion) =>
        checkDocument(read({ ...flat, ...source }), { os: 'linux', ...(clientVersion && { clientVersion }) }).find(
          ({ code }) => code === 'kind-unset',
        )?.hint,
    )
    expect(hints).toEqual([undefined, before, before, since, since])
  })

  test('that does not read the kind needs one source', () => {
    const sources = { inferenceCredentialHelper: helper.command, inferenceGatewayApiKey: 'k8Jd72nfn' }
    const hints = ['1.8554.9', '1.8555.0'].map((clientVersion) =>
      checkDocument(read({ ...flat, ...sources }), { os: 'linux', clientVersion }).map(({ code, hint }) => [
        code,
        hint,
      ]),
    )
    const keep = ['other-kind', 'keep the fields of one kind alone']
    const name = ['other-kind', "set the credential's kind"]
    expect(hints.map((found) => found.slice(0, 3))).toEqual([
      [['kind-unset-two-sources', 'keep the fields of one of them alone'], keep, keep],
      [
        ['kind-unset-two-sources', 'set it to one of "helper-script", "static" and remove the fields of the others'],
        name,
        name,
      ],
    ])
  })

  test('that does not know a value has a finding that names it', () => {
    const content = document({ kind: 'external-idp', oidc })
    const [first] = checkDocument(read(content), { os: 'linux', clientVersion: '2.7031.9' })
    expect(first).toEqual({
      path: 'inference.credential.kind',
      code: 'newer-than-client',
      message: 'clients read "external-idp" here from 2.7032.0 on, and this one is 2.7031.9',
      hint: 'update the client to 2.7032.0, or do without',
      severity: 'error',
      line: 1,
      column: 86,
    })
  })
})

test('a field for one reader is not for the other', () => {
  const result = read(document(helper))
  const made: FieldValue = {
    path: 'inference.made',
    value: 1,
    field: { path: 'inference.made', rule: { type: 'boolean' }, availability: 'desktop', summary: '' },
  }
  const codes = (reader: 'desktop' | 'suite') =>
    checkDocument({ ...result, values: [...result.values, made] }, { reader, os: 'linux' }).map(({ code }) => code)
  expect(codes('suite')).toEqual(['other-reader', 'consent-asked'])
  expect(codes('desktop')).toEqual(['consent-asked'])
})

test('an unreadable document has only the findings of reading it', () => {
  expect(check('[')).toEqual(['error not-json'])
})
