import { describe, expect, test } from 'vitest'
import { machinePolicyKey, registryHeader } from '../../../src/config/policy-names.ts'
import type { ReadOptions, Shape } from '../../../src/config/read/read-document.ts'
import { convertDocument } from '../../../src/config/render/convert.ts'
import { joinPath } from '../../../src/runtime/values/position.ts'
import { read, summarize, toOutcome } from './read-text.ts'

const helper = { kind: 'helper-script', command: '/opt/gatepass/aws-bedrock-token' }
const nested = (credential: object, inference: object = {}) => ({
  $schemaVersion: 2,
  inference: { provider: 'gateway', baseUrl: 'https://gateway.example/v1', ...inference, credential },
})

describe('a nested document', () => {
  test('is read unchanged', () => {
    expect(toOutcome(read(nested({ ...helper, args: ['--profile', 'dev'], ttlSec: 900 })))).toEqual({
      unknownKeys: [],
      container: 'json',
      shape: 'nested',
      findings: [],
      document: {
        inference: {
          provider: 'gateway',
          baseUrl: 'https://gateway.example/v1',
          credential: {
            kind: 'helper-script',
            command: '/opt/gatepass/aws-bedrock-token',
            args: ['--profile', 'dev'],
            ttlSec: 900,
          },
        },
      },
    })
  })

  test('needs no version beside a cluster', () => {
    expect(read({ inference: { provider: 'gateway' } }).shape).toBe('nested')
  })

  test('loses an invalid field alone, and never shows its value', () => {
    const { document, findings } = read(
      nested({ ...helper, ttlSec: 'secret', timeoutSec: 601, args: ['a"b'] }, { streamIdleTimeoutSec: 299.5 }),
    )
    expect({
      credential: document?.inference?.credential,
      findings: findings.map(({ path, message }) => `${path}: ${message}`),
    }).toEqual({
      credential: helper,
      findings: [
        'inference.streamIdleTimeoutSec: expected a whole number, found a number',
        'inference.credential.ttlSec: expected a whole number, found text',
        'inference.credential.timeoutSec: expected a whole number from 1 to 600',
        'inference.credential.args[0]: it has a double quote, a percent sign or a control character',
      ],
    })
  })

  test('of another provider is one unknown key, of which nothing is checked', () => {
    const inference = { provider: 'elsewhere', region: 'x' }
    expect(toOutcome(read({ inference }))).toEqual({
      container: 'json',
      shape: 'nested',
      document: {},
      unknownKeys: [{ keys: ['inference'], value: { provider: 'elsewhere', region: 'x' } }],
      findings: ['warning foreign-provider inference.provider'],
    })
  })

  test('has other clusters and unknown fields among its unknown keys', () => {
    const result = read({ ...nested({ ...helper, tlSec: 5 }), telemetry: { level: 1 }, inferenceProvider: 'gateway' })
    expect({ unknown: result.unknownKeys.map(({ keys }) => keys.join('.')), findings: summarize(result) }).toEqual({
      unknown: ['inference.credential.tlSec', 'telemetry', 'inferenceProvider'],
      findings: [
        'warning unknown-field inference.credential.tlSec',
        'info outside-specification telemetry',
        'error flat-key-in-nested inferenceProvider',
      ],
    })
  })

  test('with a misspelt field has the correct name in the hint', () => {
    expect(read(nested({ ...helper, tlSec: 5 })).findings.map(({ hint }) => hint)).toEqual(['did you mean "ttlSec"?'])
  })

  test('drops fields of another kind of credential', () => {
    expect(summarize(read(nested({ ...helper, apiKey: 'k', authScheme: 'x-api-key' })))).toEqual([
      'warning other-kind inference.credential.apiKey',
      'info not-in-specification inference.credential.authScheme',
    ])
  })

  test('may hold awsEnv under inference; the specified path takes precedence', () => {
    const both = read(
      nested({ ...helper, awsEnv: { profile: 'right' } }, { awsEnv: { profile: 'wrong', awsDir: '/d' } }),
    )
    expect({ credential: both.document?.inference?.credential, findings: summarize(both) }).toEqual({
      credential: { ...helper, awsEnv: { profile: 'right', awsDir: '/d' } },
      findings: ['info not-in-specification inference.awsEnv', 'warning spelling-overridden inference.awsEnv.profile'],
    })
  })

  test('reads headers one by one', () => {
    const result = read(nested(helper, { customHeaders: { 'x-org': 'a', Authorization: 'b', 'x-n': 1, 'x y': 'c' } }))
    expect({ customHeaders: result.document?.inference?.customHeaders, findings: summarize(result) }).toEqual({
      customHeaders: { 'x-org': 'a' },
      findings: [
        'error header-refused inference.customHeaders.Authorization',
        'error wrong-type inference.customHeaders.x-n',
        'error header-refused inference.customHeaders["x y"]',
      ],
    })
  })

  test('takes an unreadable silentRefreshEnabled for its default', () => {
    const result = read(nested({ ...helper, silentRefreshEnabled: 'no' }))
    expect({ credential: result.document?.inference?.credential, findings: summarize(result) }).toEqual({
      credential: helper,
      findings: ['warning silent-refresh-unreadable inference.credential.silentRefreshEnabled'],
    })
  })
})

test.each([
  ['seconds', 1_800_000_000, 1_800_000_000_000],
  ['the last second', 999_999_999_999, 999_999_999_999_000],
  ['the first millisecond', 1_000_000_000_000, 1_000_000_000_000],
])('expiresAt in %s is epoch milliseconds', (_unit, expiresAt, expected) => {
  expect(read({ expiresAt, inference: {} }).document).toEqual({ expiresAt: expected })
})

describe('the kind of a credential without `kind`', () => {
  test.each([
    ['that of its only source', { command: '/x' }, 'helper-script', ['warning kind-unset inference.credential.kind']],
    [
      'undefined when there are two sources',
      { command: '/x', apiKey: 'k' },
      undefined,
      ['error kind-unset-two-sources inference.credential.kind'],
    ],
    [
      'interactive for a provider',
      { oidc: { clientId: 'c' } },
      'interactive',
      ['warning kind-unset inference.credential.kind'],
    ],
    ['not guessed from an option', { ttlSec: 5 }, undefined, []],
    [
      'that of its source when the named one is unknown',
      { kind: 'x', command: '/x' },
      'helper-script',
      ['error invalid-value inference.credential.kind'],
    ],
  ])('is %s', (_what, credential, kind, findings) => {
    const result = read(nested(credential))
    expect({
      kind: result.document?.inference?.credential?.kind,
      findings: summarize(result).filter((line) => line.endsWith('.kind')),
    }).toEqual({ kind, findings })
  })
})

describe('a flat document', () => {
  test('is read with native values', () => {
    const result = read({
      expiresAt: 1_800_000_000,
      inferenceProvider: 'gateway',
      inferenceCredentialKind: 'helper-script',
      inferenceCredentialHelper: '/x',
      inferenceCredentialHelperTtlSec: 600,
      inferenceCloudProfile: 'dev',
    })
    expect(toOutcome(result)).toEqual({
      container: 'json',
      shape: 'flat',
      unknownKeys: [],
      findings: [],
      document: {
        expiresAt: 1_800_000_000_000,
        inference: {
          provider: 'gateway',
          credential: { kind: 'helper-script', command: '/x', ttlSec: 600, awsEnv: { profile: 'dev' } },
        },
      },
    })
  })

  const content = {
    inferenceCredentialKind: 'helper-script',
    inferenceCredentialHelper: '/x',
    inferenceCredentialHelperTtlSec: '600',
  }

  test('of managed strings is recognized', () => {
    expect(toOutcome(read(content))).toEqual({
      container: 'json',
      shape: 'managed',
      document: { inference: { credential: { kind: 'helper-script', command: '/x', ttlSec: 600 } } },
      unknownKeys: [],
      findings: ['info read-as-managed'],
    })
  })

  test('of managed strings is not recognized from a server', () => {
    const served = read(content, { served: { url: 'https://gateway.example/', authentication: 'none' } })
    expect({ shape: served.shape, findings: summarize(served) }).toEqual({
      shape: 'flat',
      findings: ['error wrong-type inferenceCredentialHelperTtlSec'],
    })
  })

  test('names keys of other clusters, of the cloud, and misspelled ones', () => {
    expect(
      summarize(
        read({
          inferenceProvider: 'gateway',
          autoUpdate: 1,
          inferenceCloudRegion: 'x',
          inferenceGatewayBaseURL: 'https://x.example',
          inferenceFoo: 1,
        }),
      ),
    ).toEqual([
      'info outside-specification autoUpdate',
      `info outside-specification ${joinPath('', 'inferenceCloudRegion')}`,
      'warning unknown-field inferenceGatewayBaseURL',
      'warning unknown-field inferenceFoo',
    ])
  })
})

const propertyList = '<plist version="1.0"><dict><key>inferenceProvider</key><string>gateway</string></dict></plist>'
const registryFile = `${registryHeader}\r\n[${machinePolicyKey}]\r\n"inferenceProvider"="gateway"\r\n`
const allText = { inferenceCredentialHelper: '/x', inferenceCredentialHelperTtlSec: '600' }
const served = { served: { url: 'https://gateway.example/', authentication: 'none' } } as const

// Each place counts before those of the rows below it.
test.each<[what: string, content: object | string, options: ReadOptions, shape: Shape]>([
  ['the caller, for a property list', propertyList, { shape: 'nested' }, 'nested'],
  ['the caller, for a registry file', registryFile, { shape: 'flat' }, 'flat'],
  ['the caller, for a served document', allText, { ...served, shape: 'managed' }, 'managed'],
  ['the caller, for entries of another shape', nested(helper), { shape: 'flat' }, 'flat'],
  ['the container, for a property list', propertyList, served, 'managed'],
  ['the container, for a registry file', registryFile, { native: true }, 'managed'],
  ['the entries, which are nested', nested(helper), served, 'nested'],
  ['the entries, which have other values than text', { inferenceCredentialHelperTtlSec: 600 }, {}, 'flat'],
  ['the server, where every value is text', allText, served, 'flat'],
  ['the client, whose own file it is, where every value is text', allText, { native: true }, 'flat'],
  ['the entries, where every value is text', allText, {}, 'managed'],
])('the shape of a document is decided by %s', (_, content, options, shape) => {
  expect(read(content, options).shape).toBe(shape)
})

describe('managed values', () => {
  const managed = (content: object) =>
    read({ inferenceCredentialKind: 'helper-script', ...content }, { shape: 'managed' })

  test.each([
    ['true', true],
    ['FALSE', false],
    ['1', true],
    ['0', false],
    [1, true],
  ])('boolean %j is %j', (raw, expected) => {
    const result = managed({ inferenceCredentialHelperSilentRefreshEnabled: raw })
    const credential = { kind: 'helper-script', silentRefreshEnabled: expected }
    expect(toOutcome(result)).toEqual({
      container: 'json',
      shape: 'managed',
      document: { inference: { credential } },
      unknownKeys: [],
      findings: [],
    })
  })

  test.each(['', ' 600', '6e2', '0x10', '600.0'])('%j is not a number', (raw) => {
    expect(summarize(managed({ inferenceCredentialHelperTtlSec: raw }))).toEqual([
      'error wrong-type inferenceCredentialHelperTtlSec',
    ])
  })

  test('arrays and objects are one JSON text', () => {
    const result = managed({
      inferenceCredentialHelperArgs: '["a"]',
      inferenceCustomHeaders: '{"x-a":"1","x-a":"2"}',
      expiresAt: '1',
    })
    expect({ document: result.document, findings: summarize(result) }).toEqual({
      document: {
        inference: { customHeaders: { 'x-a': '2' }, credential: { kind: 'helper-script', args: ['a'] } },
      },
      findings: ['warning no-managed-key expiresAt', 'warning duplicate-key inferenceCustomHeaders.x-a'],
    })
  })

  test('broken JSON text is reported as such', () => {
    expect(managed({ inferenceCredentialHelperArgs: '--profile dev' }).findings).toEqual([
      {
        path: 'inferenceCredentialHelperArgs',
        code: 'invalid-value',
        message: 'expected one JSON text, but it is not JSON: line 1, column 1',
        severity: 'error',
        hint: 'fix the syntax there: a missing comma or quote, a typographic quote, a comment, a comma before a closing bracket',
        line: 1,
        column: 44,
      },
    ])
  })
})

describe('a served document', () => {
  const from = (authentication: 'server-issued-credential' | 'external-idp' | 'none') => ({
    served: { url: 'https://config.example/doc', authentication },
  })
  const at = (baseUrl: string) => ({ inference: { provider: 'gateway', baseUrl } })

  test.each([
    ['points to the origin that served it', 'https://config.example/v1', 'server-issued-credential', []],
    [
      'points to no other origin',
      'https://gateway.example/v1',
      'server-issued-credential',
      ['error url-origin-pinned inference.baseUrl'],
    ],
    ['points to any origin where the client signs people in', 'https://gateway.example/v1', 'external-idp', []],
  ] as const)('%s', (_, url, authentication, findings) => {
    expect(summarize(read(at(url), from(authentication)))).toEqual(findings)
  })

  test.each([
    'http://localhost:1',
    'http://127.1.2.3/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7fff:ffff]/',
    'https://a.localhost./',
    'http://0x7f000001/',
  ])('never points to %s', (url) => {
    expect(summarize(read(at(url), from('external-idp')))).toEqual(['error url-loopback-served inference.baseUrl'])
    expect(summarize(read(at(url)))).toEqual([])
  })

  test.each(['http://128.0.0.1/', 'http://[::ffff:7.241.0.1]/', 'http://localhost.example/'])(
    'may point to %s',
    (url) => {
      expect(summarize(read(at(url), from('external-idp')))).toEqual([])
    },
  )

  test('user information is not accepted in any document', () => {
    const result = read(at('https://user:hunter2@gateway.example'))
    expect(summarize(result)).toEqual(['error url-user-information inference.baseUrl'])
    expect(JSON.stringify(result.findings)).not.toContain('hunter2')
  })
})

test.each(['1e999', '-1e999'])('%s is out of range', (number) => {
  const { document, findings } = read(`{"inference":{"sessionLifetimeSec":${number}},"expiresAt":${number}}`)
  expect({ document, found: findings.map(({ code, path, message }) => `${code} ${path}: ${message}`) }).toEqual({
    document: {},
    found: [
      'out-of-range inference.sessionLifetimeSec: expected a whole number from 1 to 9007199254740991',
      'out-of-range expiresAt: expected a number above 0',
    ],
  })
})

test.each(['gateway.example/v1', 'ftp://x', 'https://', 'https://a b', 'https:\\\\x', ''])(
  '%j is not a URL',
  (baseUrl) => {
    expect(summarize(read({ inference: { baseUrl } }))).toEqual(['error invalid-value inference.baseUrl'])
  },
)

test.each([
  ['nested', { inference: { provider: 'gateway' } }, 'warning unknown-field $schema'],
  ['flat', { inferenceProvider: 'gateway', inferenceSessionLifetimeSec: 5 }, 'info outside-specification $schema'],
] as const)(
  '$schema of a %s document is not part of it, and is reported unless it is text',
  (shape, document, other) => {
    const result = read({ $schema: './gatepass.schema.json', ...document })
    const convert = (given: typeof result) => JSON.parse(convertDocument(given, shape)!.content)
    expect({
      findings: summarize(result),
      converted: convert(result),
      ofNumber: summarize(read({ $schema: 2, ...document })),
    }).toEqual({ findings: [], converted: convert(read(document)), ofNumber: [other] })
  },
)
