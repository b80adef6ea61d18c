import { describe, expect, test } from 'vitest'
import { read, summarize } from './read-text.ts'

const oidc = { clientId: 'c', issuer: 'https://id.example' }
const other = { clientId: 'new', issuer: 'https://id.example' }

test.each([
  [
    'interactive with a provider is external-idp',
    { inferenceCredentialKind: 'interactive', inferenceGatewayOidc: oidc, inferenceGatewayOidcAuthFlow: 'broker' },
    { kind: 'external-idp', oidc, authFlow: 'broker' },
    ['warning deprecated-spelling inferenceGatewayOidc', 'warning deprecated-spelling inferenceGatewayOidcAuthFlow'],
  ],
  [
    'interactive without a provider stays interactive',
    { inferenceCredentialKind: 'interactive', inferenceGatewayOidcAuthFlow: 'broker' },
    { kind: 'interactive', authFlow: 'broker' },
    ['warning deprecated-spelling inferenceGatewayOidcAuthFlow'],
  ],
  [
    'the scheme sso is interactive',
    { inferenceGatewayAuthScheme: 'sso' },
    { kind: 'interactive' },
    ['warning deprecated-spelling inferenceGatewayAuthScheme'],
  ],
  [
    'the scheme sso with a provider is external-idp',
    { inferenceGatewayAuthScheme: 'sso', inferenceGatewayOidc: oidc },
    { kind: 'external-idp', oidc },
    ['warning deprecated-spelling inferenceGatewayAuthScheme', 'warning deprecated-spelling inferenceGatewayOidc'],
  ],
  [
    'another kind takes precedence over sso',
    { inferenceGatewayAuthScheme: 'sso', inferenceCredentialKind: 'static', inferenceGatewayApiKey: 'k' },
    { kind: 'static', apiKey: 'k' },
    ['warning spelling-overridden inferenceGatewayAuthScheme'],
  ],
  [
    'another kind takes precedence over a provider',
    { inferenceCredentialKind: 'static', inferenceGatewayApiKey: 'k', inferenceGatewayOidc: oidc },
    { kind: 'static', apiKey: 'k' },
    ['warning other-kind inferenceGatewayOidc'],
  ],
  [
    'the new spelling takes precedence over the old one',
    { inferenceCredentialKind: 'interactive', inferenceGatewayOidc: oidc, inferenceIdpOidc: other },
    { kind: 'external-idp', oidc: other },
    ['warning spelling-overridden inferenceGatewayOidc'],
  ],
  [
    'a provider alone is a source, in either spelling',
    { inferenceGatewayOidc: oidc },
    { kind: 'external-idp', oidc },
    ['warning deprecated-spelling inferenceGatewayOidc', 'warning kind-unset inferenceCredentialKind'],
  ],
  [
    'the new provider key beside interactive is not read',
    { inferenceCredentialKind: 'interactive', inferenceIdpOidc: oidc },
    { kind: 'interactive' },
    ['warning other-kind inferenceIdpOidc'],
  ],
])('%s', (_what, content, credential, findings) => {
  const result = read({ inferenceProvider: 'gateway', ...content }, { shape: 'flat' })
  expect(result.document).toEqual({ inference: { provider: 'gateway', credential } })
  expect(summarize(result)).toEqual(findings)
})

describe('the old key of the flow', () => {
  const flow = { inferenceGatewayOidcAuthFlow: 'broker' }
  const both = { ...flow, inferenceIdpAuthFlow: 'browser' }
  const [old, current] = [{ inferenceGatewayOidc: oidc }, { inferenceIdpOidc: oidc }]
  const deprecated = 'warning deprecated-spelling inferenceGatewayOidcAuthFlow'
  const overridden = 'warning spelling-overridden inferenceGatewayOidcAuthFlow'
  const unused = (key: string) => `warning other-kind ${key}`

  const [oldScheme, oldOidc] = ['inferenceGatewayAuthScheme', 'inferenceGatewayOidc'].map(
    (key) => `warning deprecated-spelling ${key}`,
  )
  const [unusedFlow, unusedOidc] = [unused('inferenceGatewayOidcAuthFlow'), unused('inferenceGatewayOidc')]
  const unset = 'warning kind-unset inferenceCredentialKind'

  test.each<
    [
      what: string,
      content: object,
      kind: string | undefined,
      authFlow: string | undefined,
      findings: (string | undefined)[],
    ]
  >([
    ['alone', flow, undefined, undefined, [deprecated, unusedFlow]],
    [
      'beside the scheme sso',
      { ...flow, inferenceGatewayAuthScheme: 'sso' },
      'interactive',
      'broker',
      [oldScheme, deprecated],
    ],
    ['beside interactive', { ...flow, inferenceCredentialKind: 'interactive' }, 'interactive', 'broker', [deprecated]],
    [
      'and the new one beside interactive',
      named('interactive', both),
      'interactive',
      'broker',
      [deprecated, unused('inferenceIdpAuthFlow')],
    ],
    [
      'beside interactive and the new provider',
      named('interactive', flow, current),
      'interactive',
      'broker',
      [deprecated, unused('inferenceIdpOidc')],
    ],
    [
      'beside interactive and the old provider',
      named('interactive', flow, old),
      'external-idp',
      'broker',
      [oldOidc, deprecated],
    ],
    [
      'and the new one beside interactive and the old provider',
      named('interactive', both, old),
      'external-idp',
      'browser',
      [oldOidc, overridden],
    ],
    ['beside external-idp', named('external-idp', flow), 'external-idp', 'broker', [deprecated]],
    ['and the new one beside external-idp', named('external-idp', both), 'external-idp', 'browser', [overridden]],
    [
      'beside external-idp and the new provider',
      named('external-idp', flow, current),
      'external-idp',
      'broker',
      [deprecated],
    ],
    [
      'beside external-idp and the old provider',
      named('external-idp', flow, old),
      'external-idp',
      'broker',
      [oldOidc, deprecated],
    ],
    ['beside the new provider', { ...flow, ...current }, 'external-idp', 'broker', [deprecated, unset]],
    ['beside the old provider', { ...flow, ...old }, 'external-idp', 'broker', [oldOidc, deprecated, unset]],
    [
      'beside both providers',
      { ...flow, ...old, ...current },
      'external-idp',
      'broker',
      ['warning spelling-overridden inferenceGatewayOidc', deprecated, unset],
    ],
    [
      'and the new one beside both providers',
      { ...both, ...old, ...current },
      'external-idp',
      'browser',
      ['warning spelling-overridden inferenceGatewayOidc', overridden, unset],
    ],
    ['beside another kind', named('static', flow, old), 'static', undefined, [unusedFlow, unusedOidc]],
  ])('is read %s', (_what, content, kind, authFlow, expected) => {
    const { document, findings } = read({ inferenceProvider: 'gateway', ...content }, { shape: 'flat' })
    const { credential } = document?.inference ?? {}
    expect({
      kind: credential?.kind,
      authFlow: credential && 'authFlow' in credential ? credential.authFlow : undefined,
    }).toEqual({ kind, authFlow })
    expect(summarize({ findings })).toEqual(expected)
  })

  test('has a hint that names the new one', () => {
    const hints = [flow, { ...flow, ...current }].map(
      (content) => read(content, { shape: 'flat' }).findings.find(({ code }) => code === 'deprecated-spelling')?.hint,
    )
    expect(hints).toEqual([
      'for a sign-in with an identity provider write inferenceIdpAuthFlow with inferenceIdpOidc; otherwise keep it',
      'write inferenceIdpAuthFlow, with inferenceCredentialKind set to "external-idp"',
    ])
  })

  function named(kind: string, ...parts: object[]): object {
    return Object.assign({ inferenceCredentialKind: kind }, ...parts)
  }
})

test('paths inside a moved object are those of the file', () => {
  const result = read({ inferenceCredentialKind: 'interactive', inferenceGatewayOidc: { ...oidc, redirectPort: 80 } })
  expect(summarize(result)).toEqual([
    'warning deprecated-spelling inferenceGatewayOidc',
    'error out-of-range inferenceGatewayOidc.redirectPort',
  ])
})
