import { expect, test } from 'vitest'
import { grantTypes } from '../../../../src/contract/oauth-names.ts'
import { Secret } from '../../../../src/runtime/secret.ts'
import { describeRefusal, GrantRefusal } from '../../../../src/sources/oauth/exchange/describe-refusal.ts'
import type { GrantRequest } from '../../../../src/sources/oauth/exchange/encode-request.ts'

const token = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.canary'

function describeAnswer(status: number, answer: unknown, own: Partial<GrantRequest> = {}, skew?: string) {
  const request: GrantRequest = {
    endpoint: { url: new URL('https://as.example/token'), setting: 'exchange-url' },
    client: { id: 'desk' },
    parameters: [
      ['grant_type', grantTypes.tokenExchange],
      ['subject_token', new Secret(token)],
    ],
    token: 'the ID token',
    origin: 'sign-in',
    isIdempotent: true,
    ...own,
  }
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  const error = describeRefusal({ status, text, skew }, request)
  return {
    kind: error.kind,
    message: error.message,
    hint: error.hint,
    renews: error instanceof GrantRefusal && error.isTokenRefused,
  }
}

const did = 'as.example did not exchange the ID token'
const every =
  "check every exchange option against what the server documents; many also answer so if they do not accept the person's token"
const trust =
  'have as.example accept tokens of this issuer and client; if the session was ended at the provider, sign out and in again'
const person =
  'sign out, then sign in again with what the server asks for, such as authorization-parameter max_age=0 or acr_values=NAME'

test.each<[code: string, hint: string, renews: boolean]>([
  ['invalid_request', every, true],
  [
    'invalid_client',
    'check the client ID "desk"; if as.example gave the client a secret, set exchange-secret-file or exchange-secret-variable',
    false,
  ],
  ['invalid_grant', trust, true],
  ['invalid_token', trust, true],
  ['unauthorized_client', `have as.example permit the client "desk" the grant type ${grantTypes.tokenExchange}`, false],
  [
    'unsupported_grant_type',
    `enable the grant type ${grantTypes.tokenExchange} at as.example, or set exchange to another form`,
    false,
  ],
  ['invalid_scope', 'correct exchange-scope', false],
  ['invalid_target', 'correct exchange-audience and exchange-resource, or have the server know them', false],
  ['access_denied', 'ask whoever administers the server to permit this exchange for the client and the person', false],
  ['insufficient_user_authentication', person, false],
  ['interaction_required', person, false],
  ['login_required', person, false],
  [
    'consent_required',
    'have the person, or an administrator for everybody, consent to what exchange-scope asks for',
    false,
  ],
  ['constructor', trust, false],
])('%s has a way out', (code, hint, renews) => {
  expect(describeAnswer(400, { error: code })).toEqual({
    kind: 'refused',
    message: `${did} (HTTP 400 ${code})`,
    hint,
    renews,
  })
})

test('an assertion is refused by its own code, and an ID-JAG is not renewed with the sign-in', () => {
  const parameters = [['grant_type', grantTypes.jwtBearer]] as const
  expect(describeAnswer(400, { error: 'invalid_request' }, { parameters }).renews).toBe(false)
  expect(
    describeAnswer(400, { error: 'invalid_grant' }, { parameters, origin: 'exchange', token: 'the ID-JAG' }),
  ).toEqual({
    kind: 'refused',
    message: 'as.example did not exchange the ID-JAG (HTTP 400 invalid_grant)',
    hint: 'have as.example trust ID-JAGs of this provider for the client "desk"',
    renews: false,
  })
})

test("the server's own words are shown on one line, without what was sent to it", () => {
  const description = `no\n\u001b[31m${token} and ${token.slice(0, 20)} \u202e`
  expect(describeAnswer(400, { error: 'invalid_scope', error_description: description }).message).toBe(
    `${did} (HTTP 400 invalid_scope): no \\u001b[31m[secret] and [secret]`,
  )
  expect(describeAnswer(401, { error: token, error_description: 7 }).message).toBe(`${did} (HTTP 401)`)
})

test.each<[status: number, answer: unknown, kind: string, message: string, hint: string]>([
  [404, '<html>', 'refused', `${did} (HTTP 404)`, 'check that exchange-url leads to a token endpoint'],
  [
    302,
    '',
    'unavailable',
    'as.example answered the token exchange with a redirect, which is not followed (HTTP 302)',
    'set exchange-url to the address that it redirects to, if that is right',
  ],
  [
    429,
    { error: 'slow_down' },
    'unavailable',
    'as.example is busy or broken (HTTP 429 slow_down)',
    'try again in a moment',
  ],
  [503, '', 'unavailable', 'as.example is busy or broken (HTTP 503)', 'try again in a moment'],
])('HTTP %d with %j is explained', (status, answer, kind, message, hint) => {
  expect(describeAnswer(status, answer)).toEqual({ kind, message, hint, renews: false })
})

test('a wrong clock explains a refusal', () => {
  const skew = "this machine's clock is 9 min behind that of as.example"
  expect(describeAnswer(400, { error: 'invalid_grant' }, {}, skew)).toEqual({
    kind: 'refused',
    message: `${did} (HTTP 400 invalid_grant); ${skew}`,
    hint: 'set the clock of this machine',
    renews: true,
  })
})

test('the hint for a client without an ID, or with a secret, names what it can set', () => {
  const answer = { error: 'invalid_client' }
  expect(describeAnswer(401, answer, { client: { id: undefined } }).hint).toBe(
    'check exchange-client-id, which is not set; if as.example gave the client a secret, set exchange-secret-file or exchange-secret-variable',
  )
  expect(describeAnswer(401, answer, { client: { id: 'desk', secret: new Secret('canary') } }).hint).toBe(
    'check the client ID "desk" and the secret, and whether the server wants it as exchange-client-auth basic or post',
  )
})
