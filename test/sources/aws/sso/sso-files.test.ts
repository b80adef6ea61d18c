import { expect, test } from 'vitest'
import { Secret } from '../../../../src/runtime/secret.ts'
import { toTokenPath } from '../../../../src/sources/aws/sso/sso-session.ts'
import { parseSsoToken, renderSsoToken } from '../../../../src/sources/aws/sso/stored-token.ts'

const host = { home: '/home/dana' }
const startUrl = 'https://corp.awsapps.com/start'
const region = 'eu-central-1'
const end = Date.UTC(2026, 0, 31, 12, 0, 0)

// Each digest was computed by Python's own hashlib and json.dumps, as botocore does.
test.each([
  ['a session', { session: 'corp' }, 'ee0bfd2552fbd840c02cc48b6e823320543c450f'],
  ['a start URL', {}, 'a51746d4aa793ae07b25e90c3a5db96fc7832bd7'],
  ['a name beyond ASCII', { session: 'bü' }, '642e12d98c542bd726b0f71e1f31f6db1dc9a04a'],
])('the file of a sign-in is named for %s', (_, names, digest) => {
  expect(toTokenPath({ startUrl, ...names }, host)).toBe(`/home/dana/.aws/sso/cache/${digest}.json`)
})

const token =
  '{"startUrl": "https://corp.awsapps.com/start", "region": "eu-central-1", "accessToken": "a\\u00fc", "expiresAt": "2026-01-31T12:00:00Z", "clientId": "c", "clientSecret": "s", "registrationExpiresAt": "2026-01-31T12:00:00Z", "refreshToken": "r"}'

test('a sign-in of the AWS CLI is read, and written again to the byte', () => {
  const read = parseSsoToken(token)!
  expect([read.accessToken.reveal(), read.expiresAt, read.refreshToken?.reveal()]).toEqual(['aü', end, 'r'])
  expect(renderSsoToken(read, { startUrl, region })).toBe(token)
})

test('without a refresh token the member is left out, as in the AWS CLI', () => {
  const { refreshToken: _, ...rest } = parseSsoToken(token)!
  expect(renderSsoToken(rest, { startUrl, region })).toBe(token.replace(', "refreshToken": "r"', ''))
})

test.each([
  '',
  '{}',
  '[]',
  '{"accessToken":"a"}',
  '{"accessToken":"a","expiresAt":"soon"}',
  '{"accessToken":1,"expiresAt":"2026-01-31T12:00:00Z"}',
])('%j holds no sign-in', (text) => expect(parseSsoToken(text)).toBeUndefined())

test.each([
  ['2026-01-31T12:00:00UTC', end],
  ['2026-01-31T12:00:00.000Z', end],
  ['2026-01-31T13:00:00+01:00', end],
])('other tools and versions write the end as %s', (text, ms) => {
  expect(parseSsoToken(`{"accessToken":"a","expiresAt":"${text}"}`)?.expiresAt).toBe(ms)
})

test('secrets refuse to be printed', () => {
  expect(JSON.stringify(parseSsoToken(token))).toBe(
    '{"accessToken":"[secret]","expiresAt":1769860800000,"refreshToken":"[secret]","client":{"id":"c","secret":"[secret]","expiresAt":1769860800000},"region":"eu-central-1"}',
  )
  expect(parseSsoToken(token)?.client?.secret).toBeInstanceOf(Secret)
})
