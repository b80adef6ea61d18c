import { expect, test } from 'vitest'
import { parseGrantAnswer } from '../../../../src/sources/oauth/exchange/send-grant.ts'

const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`
const bearer = { access_token: 'canary', token_type: 'Bearer' }

type Expected = Parameters<typeof parseGrantAnswer>[1]

function parse(answer: unknown, expected: Partial<Expected> = {}) {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  try {
    const { token, ...rest } = parseGrantAnswer(text, { host: 'as.example', use: 'bearer', ...expected })
    return { token: token.reveal(), ...rest }
  } catch (error) {
    const { kind, message, hint } = error as { kind: string; message: string; hint: string }
    return [kind, message.replace('the answer of as.example to the token exchange cannot be used: ', ''), hint]
  }
}

const granted = { token: 'canary', expiresInSec: undefined, scope: undefined }

test.each<[name: string, answer: unknown, expected: Partial<Expected>, result: object]>([
  ['an answer without an end', bearer, {}, granted],
  ['a life as a number', { ...bearer, expires_in: 60 }, {}, { ...granted, expiresInSec: 60 }],
  ['a life as a text', { ...bearer, expires_in: '60' }, {}, { ...granted, expiresInSec: 60 }],
  ['a scope', { ...bearer, scope: 'a b' }, {}, { ...granted, scope: 'a b' }],
  ['a type in small letters', { ...bearer, token_type: 'bearer' }, {}, granted],
  ['a refresh token, which is left out', { ...bearer, refresh_token: 'r' }, {}, granted],
  ['an access token', { ...bearer, issued_token_type: type('access_token') }, {}, granted],
  ['what was asked for', { ...bearer, issued_token_type: type('jwt') }, { type: type('jwt') }, granted],
  ['a JWT that is no access token', { ...bearer, token_type: 'N_A', issued_token_type: type('jwt') }, {}, granted],
  [
    'an ID-JAG',
    { access_token: 'canary', token_type: 'N_A', issued_token_type: type('id-jag') },
    { type: type('id-jag'), use: 'assertion' },
    granted,
  ],
])('%s is accepted', (_, answer, expected, result) => {
  expect(parse(answer, expected)).toEqual(result)
})

const check = 'check that as.example is the right server, and that nothing answers in its place'
const asked = 'correct exchange-requested-token-type, or remove it to let the server choose'
const usable = 'set exchange-requested-token-type to access_token, or to what the gateway verifies'
const proof = 'have as.example issue bearer tokens to this client, because that is all that the client sends'

test.each<[answer: unknown, expected: Partial<Expected>, problem: string, hint: string]>([
  ['<html>', {}, 'it is not a JSON object', check],
  [[bearer], {}, 'it is not a JSON object', check],
  [{ token_type: 'Bearer' }, {}, 'access_token is not as expected', check],
  [{ ...bearer, access_token: 'a\nb' }, {}, 'access_token is not as expected', check],
  [{ ...bearer, token_type: undefined }, {}, 'token_type is not as expected', check],
  [{ ...bearer, token_type: 'N_A' }, {}, 'token_type is not as expected', check],
  [
    { ...bearer, token_type: 'N_A', issued_token_type: type('access_token') },
    {},
    'token_type is not as expected',
    check,
  ],
  [
    { ...bearer, token_type: 'DPoP' },
    {},
    'its token is of the type dpop, which needs a proof with each request',
    proof,
  ],
  [{ ...bearer, expires_in: 0 }, {}, 'expires_in is not as expected', check],
  [{ ...bearer, expires_in: -1 }, {}, 'expires_in is not as expected', check],
  [{ ...bearer, expires_in: 'soon' }, {}, 'expires_in is not as expected', check],
  [{ ...bearer, expires_in: 1e15 }, {}, 'expires_in is not as expected', check],
  [bearer, { type: type('jwt') }, `it issued a token without issued_token_type, not ${type('jwt')}`, asked],
  [
    { ...bearer, issued_token_type: type('access_token') },
    { type: type('jwt') },
    `it issued ${type('access_token')}, not ${type('jwt')}`,
    asked,
  ],
  [
    { ...bearer, issued_token_type: 'a canary' },
    { type: type('jwt') },
    `it issued a token of another type, not ${type('jwt')}`,
    asked,
  ],
  [
    { ...bearer, issued_token_type: type('refresh_token') },
    {},
    `it issued ${type('refresh_token')}, which no gateway takes`,
    usable,
  ],
  [{ ...bearer, issued_token_type: type('saml2') }, {}, `it issued ${type('saml2')}, which no gateway takes`, usable],
  [
    bearer,
    { type: type('id-jag'), use: 'assertion' },
    `it issued a token without issued_token_type, not ${type('id-jag')}`,
    'have as.example issue ID-JAGs, or set exchange to another form',
  ],
])('%j is refused', (answer, expected, problem, hint) => {
  expect(parse(answer, expected)).toEqual(['unavailable', problem, hint])
})
