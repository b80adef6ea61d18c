import { expect, test } from 'vitest'
import { applyChallenge, parseChallenge } from '../../../../src/sources/oauth/oidc/challenge.ts'
import { plainSettings } from './oidc-bench.ts'

const error = 'insufficient_user_authentication'
const inHeader = (text: string) => ({ members: {}, headers: new Headers({ 'www-authenticate': text }) })
const inBody = (members: object) => ({ members: { error, ...members }, headers: new Headers() })

test.each([
  ['a body', inBody({ acr_values: 'phr phrh', max_age: 300 }), { acrValues: 'phr phrh', maxAge: 300 }],
  ['a body with texts', inBody({ max_age: '5' }), { maxAge: 5 }],
  [
    'a header, as in RFC 9470, section 4',
    inHeader(
      'Bearer error="insufficient_user_authentication", error_description="A different authentication level is required", acr_values="myACR"',
    ),
    { acrValues: 'myACR' },
  ],
  ['a header', inHeader(`Bearer realm="x", error="${error}", max_age="5"`), { maxAge: 5 }],
  ['a header without quotes', inHeader(`Bearer error=${error}, max_age=5`), { maxAge: 5 }],
  [
    'a body, whose parameters stand in the header',
    { members: { error }, headers: new Headers({ 'www-authenticate': `Bearer error="${error}", max_age=5` }) },
    { maxAge: 5 },
  ],
  ['nothing but the code', inBody({}), {}],
  ['values that are none', inBody({ acr_values: 'a\r\nb', max_age: '-1' }), {}],
  ['values that are too long', inBody({ acr_values: 'x'.repeat(501), max_age: '1'.repeat(10) }), {}],
  ['values of another form', inBody({ acr_values: ['a', ' b'], max_age: 1.5 }), {}],
  ['another error', inHeader('Bearer error="invalid_token", max_age=5'), undefined],
  ['another error that names it', inHeader(`Bearer error="x", error_description="not ${error}"`), undefined],
])('a challenge is read from %s', (_, answer, challenge) => {
  expect(parseChallenge(answer)).toEqual(challenge)
})

test.each([
  ['names both', {}, { acrValues: 'phr', maxAge: 300 }, { acr_values: 'phr', max_age: '300' }],
  ['is longer than what is set', { max_age: '60', ui: 'x' }, { maxAge: 300 }, { max_age: '60', ui: 'x' }],
  [
    'is shorter',
    { max_age: '600', acr_values: 'a' },
    { acrValues: 'b', maxAge: 300 },
    { max_age: '300', acr_values: 'b' },
  ],
  ['is none', { max_age: '60' }, undefined, { max_age: '60' }],
])('a challenge that %s sets the parameters of a sign-in', (_, parameters, challenge, expected) => {
  expect(applyChallenge({ ...plainSettings(), parameters }, challenge).parameters).toEqual(expected)
})
