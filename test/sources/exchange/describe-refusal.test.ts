import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/api/api-error.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { describeRefusal } from '../../../src/sources/exchange/exchange-assertion.ts'

const exchange = {
  jwt: { header: {}, claims: { iss: 'https://id.example', sub: 'runner', aud: ['a', 'b'] }, signature: 'x' },
  source: { token: 'the identity token in /run/token' },
  target: { host: 'api.example', federationRuleId: 'fdrl_1' },
  assertion: new Secret('eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJydW5uZXIifQ.canary'),
  skew: undefined,
}

function describeAnswer(status: number, type?: string, requestId?: string, more: { skew?: string } = {}) {
  const error = new ApiError({ status, type, requestId, message: 'canary', workspace: 'not-named' })
  const { kind, message, hint } = describeRefusal(error, { ...exchange, ...more })
  return { kind, message, hint }
}

const refused = 'api.example did not exchange the identity token in /run/token'
const ruleHint =
  'have the federation rule fdrl_1 accept issuer "https://id.example", subject "runner" and audience "a", "b", and check organization, service-account and workspace; a token that was exchanged before may have to be renewed first'
const settingsHint = 'check base-url, organization, federation-rule, service-account and workspace'

test.each<[status: number, type: string | undefined, id: string | undefined, answer: string, hint: string]>([
  [400, 'invalid_grant', 'req_1', 'HTTP 400 invalid_grant, request req_1', ruleHint],
  [401, 'authentication_error', undefined, 'HTTP 401 authentication_error', ruleHint],
  [401, undefined, undefined, 'HTTP 401', ruleHint],
  [400, 'invalid_request', 'req-2', 'HTTP 400 invalid_request, request req-2', settingsHint],
  [403, 'permission_error', undefined, 'HTTP 403 permission_error', settingsHint],
  [404, undefined, undefined, 'HTTP 404', settingsHint],
])('%d %s is a refusal', (status, type, id, answer, hint) => {
  expect(describeAnswer(status, type, id)).toEqual({ kind: 'refused', message: `${refused} (${answer})`, hint })
})

test('an identity token that a killed run may have used is reported as such, where the platform refuses the token itself', () => {
  const claims = { ...exchange.jwt.claims, exp: 1_768_478_400 }
  const describeAfterKill = (status: number, type: string) => {
    const error = new ApiError({ status, type, requestId: undefined, message: 'canary', workspace: 'not-named' })
    const sent = { ...exchange, jwt: { ...exchange.jwt, claims }, sentBefore: Date.UTC(2026, 0, 15, 11, 59) }
    const { kind, message, hint } = describeRefusal(error, sent)
    return { kind, message, hint }
  }
  expect(describeAfterKill(400, 'invalid_grant')).toEqual({
    kind: 'refused',
    message: `${refused} (HTTP 400 invalid_grant); a run that was killed, or got no answer, at 2026-01-15T11:59:00.000Z may have used it`,
    hint: `wait for a fresh one, which is due by 2026-01-15T12:00:00.000Z; if that is refused too, ${ruleHint}`,
  })
  expect(describeAfterKill(403, 'permission_error')).toEqual({
    kind: 'refused',
    message: `${refused} (HTTP 403 permission_error)`,
    hint: settingsHint,
  })
})

test.each([408, 429, 500, 503, 529])('%d is transient', (status) => {
  expect(describeAnswer(status, 'overloaded_error')).toEqual({
    kind: 'unavailable',
    message: `api.example is busy or broken (HTTP ${status} overloaded_error)`,
    hint: 'try again in a moment',
  })
})

test.each([301, 302, 307])('the redirect %d is not followed', (status) => {
  expect(describeAnswer(status)).toEqual({
    kind: 'unavailable',
    message: `api.example answered the token exchange with a redirect, which is not followed (HTTP ${status})`,
    hint: "set base-url to the platform's own address",
  })
})

test('a wrong clock is reported first', () => {
  expect(describeAnswer(400, 'invalid_grant', undefined, { skew: "this machine's clock is slow" })).toEqual({
    kind: 'refused',
    message: `${refused} (HTTP 400 invalid_grant); this machine's clock is slow`,
    hint: 'set the clock of this machine',
  })
})

describe('a code of the server', () => {
  test.each([
    ['the token itself', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJydW5uZXIifQ.canary'],
    ['a part of it', 'eyJzdWIiOiJydW5uZXIifQ'],
    ['its signature', 'canary'],
    ['a sentence', 'your token canary is bad'],
    ['an escape sequence', '\x1b[31m'],
    ['too much', 'x'.repeat(65)],
    ['nothing', ''],
  ])('%s is not repeated', (_, text) => {
    expect(describeAnswer(400, text, text).message).toBe(`${refused} (HTTP 400)`)
  })
})

test('only claims that are text are shown, up to 200 characters', () => {
  const jwt = { header: {}, claims: { iss: 'x'.repeat(1000), sub: 7 }, signature: 'x' }
  const error = new ApiError({
    status: 400,
    type: 'invalid_grant',
    requestId: undefined,
    message: '',
    workspace: 'named',
  })
  const { hint } = describeRefusal(error, { ...exchange, jwt })
  expect(hint).toBe(
    `have the federation rule fdrl_1 accept issuer "${'x'.repeat(200)}", subject none and audience none, and check organization, service-account and workspace; a token that was exchanged before may have to be renewed first`,
  )
})
