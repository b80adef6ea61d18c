import { expect, test } from 'vitest'
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
    [],
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

test('paths inside a moved object are those of the file', () => {
  const result = read({ inferenceCredentialKind: 'interactive', inferenceGatewayOidc: { ...oidc, redirectPort: 80 } })
  expect(summarize(result)).toContain('error out-of-range inferenceGatewayOidc.redirectPort')
})
