import { expect, test } from 'vitest'
import type { OidcSettings } from '../../../../src/sources/oauth/oidc/oidc-settings.ts'
import { nameSignIn } from '../../../../src/sources/oauth/store/name-sign-in.ts'
import { settings } from './plain-sign-in.ts'

const nameOf = (more: Partial<OidcSettings>) => nameSignIn({ ...settings, ...more })

test.each<[what: string, more: Partial<OidcSettings>]>([
  ['issuer', { issuer: 'https://other.example' }],
  [
    'authorization URL',
    { issuer: undefined, authorizationUrl: 'https://login.example/a', tokenUrl: 'https://t.example' },
  ],
  ['client', { clientId: 'other' }],
  ['kind of token', { bearerTokenType: 'access_token' }],
  ['scope', { scopes: 'api' }],
  ['order of scopes', { scopes: 'openid api' }],
  ['resource', { resource: 'https://gateway.example' }],
  ['parameter', { parameters: { login_hint: 'dana' } }],
])('another %s is another sign-in', (_, more) => {
  expect({ isName: /^[0-9a-f]{40}$/.test(nameOf(more)), isSame: nameOf(more) === nameOf({}) }).toEqual({
    isName: true,
    isSame: false,
  })
})

test.each<[what: string, one: Partial<OidcSettings>, other: Partial<OidcSettings>]>([
  [
    'how the browser comes back',
    {},
    { redirectHost: 'localhost', redirectPort: 4000, redirectPath: '/x', responseMode: 'form_post' },
  ],
  [
    'whether a refresh token is asked for',
    { scopes: 'api' },
    { scopes: 'api  offline_access', appendOfflineAccess: false },
  ],
  ['the order of parameters', { parameters: { a: '1', b: '2' } }, { parameters: { b: '2', a: '1' } }],
  ['addresses beside an issuer', {}, { tokenUrl: 'https://login.example/token' }],
])('the name of a sign-in does not depend on %s', (_, one, other) => {
  expect(nameOf(one)).toBe(nameOf(other))
})
