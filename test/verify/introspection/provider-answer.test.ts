import { expect, test } from 'vitest'
import { validateProviderAnswer } from '../../../src/verify/introspection/provider-answer.ts'

const now = Date.UTC(2026, 2, 1, 12)
const nowSec = now / 1000

type Facts = Parameters<typeof validateProviderAnswer>[1]

const facts: Facts = {
  identity: {
    kind: 'jwt',
    issuer: 'https://id.example',
    subject: 'dana',
    claims: { jti: 'one', client_id: 'desktop' },
    issuedAt: now,
    expiresAt: now + 600_000,
  },
  trust: { issuer: 'https://id.example', audiences: ['https://gateway.example'] },
  clockSkewSec: 60,
  now,
}

const binding = { key: 'k'.repeat(43) }
const ofKey: Facts = { ...facts, identity: { ...facts.identity, binding } }

const boundOtherwise = 'unknown-kind: the provider says that it is bound in another way than it states'
const otherToken = 'inactive: the provider answers for another token:'

test.each<[string, object, string, Facts?]>([
  ['nothing but active', {}, 'passes'],
  ['not active', { active: false }, 'inactive: the provider says that it is not active'],
  [
    'everything, as the token has it',
    {
      iss: 'https://id.example',
      sub: 'dana',
      jti: 'one',
      client_id: 'desktop',
      token_type: 'Bearer',
      aud: ['other', 'https://gateway.example'],
      exp: nowSec + 1,
      nbf: nowSec,
      iat: nowSec,
      username: 'Dana',
    },
    'passes',
  ],
  ['another issuer', { iss: 'https://id.example/' }, `${otherToken} iss is "https://id.example/"`],
  ['another owner', { sub: 'mallory' }, `${otherToken} sub is "mallory"`],
  ['an owner that is no text', { sub: ['dana'] }, `${otherToken} sub is a list`],
  ['another id', { jti: 'two' }, `${otherToken} jti is "two"`],
  ['another client', { client_id: 'cli' }, `${otherToken} client_id is "cli"`],
  ['the type of Glewlwyd', { token_type: 'access_token' }, 'passes'],
  [
    'a refresh token',
    { token_type: 'refresh_token' },
    'unknown-kind: the provider says that its type is "refresh_token"',
  ],
  ['a type that is no text', { token_type: null }, 'unknown-kind: the provider says that its type is null'],
  [
    'another audience',
    { aud: 'https://other.example' },
    'audience: the provider says that its audience is "https://other.example"',
  ],
  ['no audience', { aud: [] }, 'audience: the provider says that its audience is a list'],
  ['expired within the tolerated difference', { exp: nowSec - 59 }, 'passes'],
  ['expired', { exp: nowSec - 60 }, 'expired: the provider says that it expired at 2026-03-01T11:59:00Z'],
  ['an end that is no number', { exp: String(nowSec + 60) }, 'inactive: the provider gives no time as its exp'],
  ['an end that no date can hold', { exp: 1e300 }, 'inactive: the provider gives no time as its exp'],
  [
    'not valid yet',
    { nbf: nowSec + 61 },
    'not-yet-valid: the provider says that it is valid from 2026-03-01T12:01:01Z',
  ],
  ['bound to a key, and the token says nothing of it', { cnf: { jkt: 'k'.repeat(43) } }, boundOtherwise],
  ['bound to its key', { cnf: { jkt: 'k'.repeat(43) } }, 'passes', ofKey],
  ['bound to another key', { cnf: { jkt: 'x'.repeat(43) } }, boundOtherwise, ofKey],
  ['bound in an unknown way', { cnf: { jwe: '' } }, boundOtherwise, ofKey],
])('an answer passes only if it agrees with the token: it has %s', (_, members, expected, given = facts) => {
  const refusal = validateProviderAnswer({ active: true, ...members }, given)
  expect(refusal ? `${refusal.reason}: ${refusal.note}` : 'passes').toBe(expected)
})
