import { describe, expect, test } from 'vitest'
import { parseTrustAnchor } from '../../../src/client/session/trust-anchor.ts'
import { parseDocument } from '../../../src/config/read/read-document.ts'

function parse(document: object, shape?: 'managed') {
  const { anchor, findings } = parseTrustAnchor(
    parseDocument(Buffer.from(JSON.stringify(document)), shape ? { shape } : {}),
  )
  return { anchor, findings: findings.map(({ path, code, severity }) => `${severity} ${path} ${code}`) }
}

const oidc = { clientId: 'desktop', issuer: 'https://login.example.com', scopes: 'openid config', redirectPort: 7777 }
const settings = {
  ...oidc,
  bearerTokenType: 'access_token',
  appendOfflineAccess: true,
  redirectHost: '127.0.0.1',
  additionalRedirectReferrerHosts: [],
}
const none = { isEnabled: true, isDeliveryTrusted: false, signIn: { kind: 'none' } }

describe('the document of a device', () => {
  test.each<[what: string, document: object, anchor: object]>([
    ['says nothing of a server', { inference: { provider: 'gateway' } }, none],
    [
      'names the server alone',
      { bootstrapUrl: 'https://c.example/bootstrap' },
      { ...none, url: 'https://c.example/bootstrap' },
    ],
    [
      'has a person sign in',
      { bootstrapOidc: oidc, bootstrapEnabled: false, trustBootstrapDelivery: true },
      { isEnabled: false, isDeliveryTrusted: true, signIn: { kind: 'oidc', settings } },
    ],
    [
      'has fixed headers, and a program that prints others',
      { bootstrapHeaders: { 'x-key': 'k' }, bootstrapHeadersHelper: '/opt/acme/headers' },
      {
        ...none,
        signIn: {
          kind: 'headers',
          headers: { 'x-key': 'k' },
          helper: { command: '/opt/acme/headers', prints: 'headers' },
        },
      },
    ],
  ])('%s', (_, document, anchor) => {
    expect(parse(document)).toEqual({ anchor, findings: [] })
  })

  test('in managed preferences has objects and booleans as text', () => {
    const document = { bootstrapOidc: JSON.stringify(oidc), bootstrapEnabled: '0', inferenceProvider: 'gateway' }
    expect(parse(document, 'managed')).toEqual({
      anchor: { ...none, isEnabled: false, signIn: { kind: 'oidc', settings } },
      findings: [],
    })
  })

  test.each<[what: string, document: object, finding: string]>([
    ['an address over http', { bootstrapUrl: 'http://c.example/bootstrap' }, 'bootstrapUrl insecure-url'],
    ['a malformed address', { bootstrapUrl: 'c.example' }, 'bootstrapUrl invalid-value'],
    ['a provider without its client', { bootstrapOidc: { issuer: oidc.issuer } }, 'bootstrapOidc required-missing'],
    [
      'a port that is too low',
      { bootstrapOidc: { ...oidc, redirectPort: 80 } },
      'bootstrapOidc.redirectPort out-of-range',
    ],
    ['text in place of an object', { bootstrapOidc: JSON.stringify(oidc) }, 'bootstrapOidc wrong-type'],
    [
      'a header with a line break',
      { bootstrapHeaders: { 'x-key': 'k\r\nx: y' } },
      'bootstrapHeaders.x-key header-refused',
    ],
    ['a number as a header', { bootstrapHeaders: { 'x-key': 1 } }, 'bootstrapHeaders.x-key header-refused'],
    ['a program without its path', { bootstrapHeadersHelper: 'headers' }, 'bootstrapHeadersHelper relative-path'],
    [
      'a program on another machine',
      { bootstrapHeadersHelper: '//srv/headers' },
      'bootstrapHeadersHelper relative-path',
    ],
  ])('%s is reported', (_, document, finding) => {
    expect(parse(document).findings).toEqual([`error ${finding}`])
  })

  test('headers beside a provider are reported with a warning', () => {
    const { findings } = parse({ bootstrapOidc: oidc, bootstrapHeaders: {} })
    expect(findings).toEqual(['warning bootstrapOidc other-kind'])
  })

  test.each([
    [{}, 'set clientId and issuer in it'],
    [{ issuer: oidc.issuer }, 'set clientId in it'],
    [{ clientId: 'desktop', tokenUrl: 'https://login.example.com/token' }, 'set authorizationUrl in it'],
    [{ authorizationUrl: 'https://login.example.com/authorize' }, 'set clientId and tokenUrl in it'],
  ])('with the provider %j has a hint: %s', (bootstrapOidc, hint) => {
    const { findings } = parseTrustAnchor(parseDocument(Buffer.from(JSON.stringify({ bootstrapOidc })), {}))
    expect(findings.map((finding) => finding.hint)).toEqual([hint])
  })
})
