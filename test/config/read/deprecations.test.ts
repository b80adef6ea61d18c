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
  expect({ document: result.document, findings: summarize(result) }).toEqual({
    document: { inference: { provider: 'gateway', credential } },
    findings,
  })
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

  const interactive = { kind: 'interactive', authFlow: 'broker' }
  const byBroker = { kind: 'external-idp', authFlow: 'broker' }
  const byBrowser = { kind: 'external-idp', authFlow: 'browser' }
  const newProvider = [deprecated, unused('inferenceIdpOidc')]
  const bothProviders = { ...old, ...current }
  const overriddenProvider = 'warning spelling-overridden inferenceGatewayOidc'

  test.each<[what: string, content: object, credential: object | undefined, findings: (string | undefined)[]]>([
    ['alone', flow, undefined, [deprecated, unusedFlow]],
    ['beside sso', { ...flow, inferenceGatewayAuthScheme: 'sso' }, interactive, [oldScheme, deprecated]],
    ['beside interactive', named('interactive', flow), interactive, [deprecated]],
    [
      'and the new one beside interactive',
      named('interactive', both),
      interactive,
      [deprecated, unused('inferenceIdpAuthFlow')],
    ],
    ['beside interactive and the new provider', named('interactive', flow, current), interactive, newProvider],
    ['beside interactive and the old provider', named('interactive', flow, old), byBroker, [oldOidc, deprecated]],
    [
      'and the new one beside interactive and the old provider',
      named('interactive', both, old),
      byBrowser,
      [oldOidc, overridden],
    ],
    ['beside external-idp', named('external-idp', flow), byBroker, [deprecated]],
    ['and the new one beside external-idp', named('external-idp', both), byBrowser, [overridden]],
    ['beside external-idp and the new provider', named('external-idp', flow, current), byBroker, [deprecated]],
    ['beside external-idp and the old provider', named('external-idp', flow, old), byBroker, [oldOidc, deprecated]],
    ['beside the new provider', { ...flow, ...current }, byBroker, [deprecated, unset]],
    ['beside the old provider', { ...flow, ...old }, byBroker, [oldOidc, deprecated, unset]],
    ['beside both providers', { ...flow, ...bothProviders }, byBroker, [overriddenProvider, deprecated, unset]],
    [
      'and the new one beside both providers',
      { ...both, ...bothProviders },
      byBrowser,
      [overriddenProvider, overridden, unset],
    ],
    ['beside another kind', named('static', flow, old), { kind: 'static' }, [unusedFlow, unusedOidc]],
  ])('is read %s', (_what, content, credential, expected) => {
    const { document, findings } = read({ inferenceProvider: 'gateway', ...content }, { shape: 'flat' })
    const found = document?.inference?.credential
    const seen = found && { kind: found.kind, ...('authFlow' in found && { authFlow: found.authFlow }) }
    expect({ credential: seen, findings: summarize({ findings }) }).toEqual({ credential, findings: expected })
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
