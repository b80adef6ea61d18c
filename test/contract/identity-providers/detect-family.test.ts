import { expect, test } from 'vitest'
import { detectProviderFamily } from '../../../src/contract/identity-providers/detect-family.ts'

test.each([
  ['entra', 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0'],
  ['entra', 'https://login.microsoftonline.us/acme.example/v2.0'],
  ['entra', 'https://login.partner.microsoftonline.cn/acme/v2.0'],
  ['entra', 'https://sts.windows.net/11111111-2222-3333-4444-555555555555/'],
  ['entra-external', 'https://acme.b2clogin.com/acme.onmicrosoft.com/B2C_1_in/v2.0'],
  ['entra-external', 'https://11111111.ciamlogin.com/11111111/v2.0'],
  ['okta', 'https://acme.okta.com'],
  ['okta', 'https://acme.oktapreview.com/oauth2/default'],
  ['google', 'https://accounts.google.com'],
  ['auth0', 'https://acme.eu.auth0.com/'],
  ['pingone', 'https://auth.pingone.eu/11111111-2222-3333-4444-555555555555/as'],
  ['cognito', 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEf'],
  ['salesforce', 'https://acme.my.salesforce.com'],
  ['keycloak', 'https://id.example.com/auth/realms/acme'],
  ['adfs', 'https://sts.example.com/adfs'],
  ['other', 'https://id.example.com'],
  ['other', 'https://login.microsoftonline.com.evil.example/acme/v2.0'],
  ['other', 'https://notokta.com'],
  ['other', 'no address'],
])('%s is detected from %s', (name, issuer) => {
  expect(detectProviderFamily({ issuer }).name).toBe(name)
})

test.each([
  ['pingfederate', 'https://sso.example.com/as/authorization.oauth2', 'https://sso.example.com/as/token.oauth2'],
  ['keycloak', 'https://id.example.com/realms/a/protocol/openid-connect/auth', 'https://id.example.com/token'],
  ['adfs', 'https://sts.example.com/adfs/oauth2/authorize/', 'https://sts.example.com/adfs/oauth2/token/'],
  ['google', 'https://accounts.google.com/o/oauth2/v2/auth', 'https://oauth2.googleapis.com/token'],
])('%s is detected without an issuer from its endpoints', (name, authorizationUrl, tokenUrl) => {
  expect(detectProviderFamily({ authorizationUrl, tokenUrl }).name).toBe(name)
  expect(detectProviderFamily({ issuer: 'https://id.example.com', authorizationUrl, tokenUrl }).name).toBe('other')
})
