import { expect, test } from 'vitest'
import { requireIdJagClient } from '../../../../src/sources/oauth/exchange/exchange-subject.ts'
import { type Claims, forge } from '../../../stand-ins/identity/identity-provider.ts'

const now = Date.UTC(2026, 0, 15, 12)
const sec = now / 1000
const header = { alg: 'ES256', typ: 'oauth-id-jag+jwt' }
const claims: Claims = {
  iss: 'https://id.example',
  sub: 'alice',
  aud: 'https://as.example/',
  client_id: 'app',
  jti: 'once',
  iat: sec,
  nbf: undefined,
  exp: sec + 300,
}

function validate(own: Claims = {}, ownHeader: Claims = {}, clientId?: string) {
  const text = forge({ ...claims, ...own }, { ...header, ...ownHeader })
  const expected = { host: 'id.example', issuer: 'https://id.example', audience: 'https://as.example/', clientId }
  try {
    return requireIdJagClient(text, expected, now)
  } catch (error) {
    const { kind, message, hint } = error as { kind: string; message: string; hint: string }
    return { kind, problem: message.replace('the ID-JAG that id.example issued ', ''), hint }
  }
}

test.each<[name: string, own: Claims, header: Claims, clientId: string | undefined]>([
  ['as the draft has it', {}, {}, undefined],
  ['for the client that an option names', {}, {}, 'app'],
  ['with its type in full', {}, { typ: 'application/OAUTH-ID-JAG+JWT' }, undefined],
  ['with a list of one audience', { aud: ['https://as.example/'] }, {}, undefined],
])('an ID-JAG %s is accepted, and names the client', (_, own, ownHeader, clientId) => {
  expect(validate(own, ownHeader, clientId)).toBe('app')
})

const repair = 'have id.example follow draft-ietf-oauth-identity-assertion-authz-grant'
const audience =
  'have id.example issue ID-JAGs for that authorization server alone, or correct exchange-issuer and exchange-audience'
const renew = 'check what id.example issues for this client'

const bearer = 'have id.example issue ID-JAGs for bearer tokens'

test.each<[own: Claims, problem: string, hint: string]>([
  [{ sub: undefined }, 'lacks sub, which the exchange needs', 'have the identity provider add it'],
  [{ jti: undefined, iat: undefined }, 'lacks jti and iat', repair],
  [{ client_id: '' }, 'lacks client_id', repair],
  [
    { aud: 'https://other.example' },
    'is for the audience "https://other.example", not for "https://as.example/"',
    audience,
  ],
  [{ aud: 'https://as.example' }, 'is for the audience "https://as.example", not for "https://as.example/"', audience],
  [
    { aud: ['https://as.example/', 'https://other.example'] },
    'is for other servers besides "https://as.example/", which could use it as well',
    repair,
  ],
  [
    { iss: 'https://evil.example' },
    'is from the issuer "https://evil.example", but the person\'s ID token is from "https://id.example"',
    repair,
  ],
  [{ cnf: { jkt: 'x' } }, 'is bound to a key (cnf), and the gateway would get no proof of that key', bearer],
  [
    { exp: sec - 1 },
    "expired at 2026-01-15T11:59:59.000Z; this machine's time is 2026-01-15T12:00:00.000Z",
    `${renew}; if that time is wrong, set the clock of this machine`,
  ],
])('an ID-JAG with %j is not sent', (own, problem, hint) => {
  expect(validate(own)).toEqual({ kind: 'not-configured', problem, hint })
})

test.each<[header: Claims, problem: string, hint: string]>([
  [{ typ: 'JWT' }, 'is of the type "JWT", not "oauth-id-jag+jwt"', repair],
  [{ typ: undefined }, 'is of the type none, not "oauth-id-jag+jwt"', repair],
  [{ alg: 'none' }, 'is not signed, so nobody can verify it', 'have the identity provider sign its tokens'],
])('an ID-JAG whose header has %j is not sent', (ownHeader, problem, hint) => {
  expect(validate({}, ownHeader)).toEqual({ kind: 'not-configured', problem, hint })
})

test('an ID-JAG for another client than the one that an option names is not sent', () => {
  expect(validate({}, {}, 'other')).toEqual({
    kind: 'not-configured',
    problem: 'is for the client "app", not for "other"',
    hint: "correct exchange-client-id, or have id.example know this client's ID at the other server",
  })
})
