import { expect, test } from 'vitest'
import { Secret } from '../../../../src/runtime/secret.ts'
import { describeAccount } from '../../../../src/sources/oauth/oidc/describe-account.ts'
import { toUnsignedJwt } from '../../../helpers/oidc-token/seed-sign-in.ts'

const describeClaims = (claims: object) => describeAccount(new Secret(toUnsignedJwt(claims)))
const email = 'dana@example.com'

test.each<[what: string, claims: object, account: string | undefined]>([
  ['a name and an address', { sub: '1', name: 'Dana', email }, 'Dana (dana@example.com)'],
  ['an address alone', { sub: '1', email }, email],
  ['a name that is the address', { sub: '1', name: email, email }, email],
  ['a name alone', { sub: '1', name: 'Dana' }, 'Dana'],
  ['a user name in place of an address', { name: 'Dana', preferred_username: 'dana1' }, 'Dana (dana1)'],
  ['the name that Microsoft gives a user', { upn: email }, email],
  ['a subject alone', { sub: '248289761001' }, '248289761001'],
  [
    'an address that the provider has not verified',
    { sub: '1', email: 'boss@example.com', email_verified: false },
    '1',
  ],
  ['one of which it says so in a text', { sub: '1', email: 'boss@example.com', email_verified: 'false' }, '1'],
  ['an address that it has verified', { sub: '1', email, email_verified: true }, email],
  ['members of other types', { sub: '1', name: ['Dana'], email: 7 }, '1'],
  ['a name of blanks', { sub: '1', name: ' \u3164\u2800 \u00a0' }, '1'],
  ['nothing', {}, undefined],
])('the account is described from an ID token with %s', (_, claims, account) => {
  expect(describeClaims(claims)).toBe(account)
})

test.each<[what: string, name: string, shown: string]>([
  ['several lines', 'Dana\r\n\tExample\u2028You', 'Dana Example You'],
  ['an escape sequence', 'D\u001b[2Jana', 'D\\u001b[2Jana'],
  ['letters that turn the direction of writing', 'Dana\u202e)moc.elpmaxe', 'Dana\\u202e)moc.elpmaxe'],
  ['isolated directions', '\u2066Dana\u2069', '\\u2066Dana\\u2069'],
  ['a Persian name, which needs its joiner', 'می\u200cخواهم', 'می\u200cخواهم'],
  ['more marks than a letter has', `D${'\u0301'.repeat(40)}ana`, `D${'\u0301'.repeat(3)}ana`],
  ['80 characters', 'a'.repeat(80), 'a'.repeat(80)],
  ['a megabyte', '😀'.repeat(300_000), `${'😀'.repeat(80)}…`],
])('a name of %s is shown on one line, and steers nothing', (_, name, shown) => {
  expect(describeClaims({ name })).toBe(shown)
})

test('without an ID token the subject is shown, which somebody may have chosen too', () => {
  expect(['dana\n  until  2099', '\u3164', undefined].map((subject) => describeAccount(undefined, subject))).toEqual([
    'dana until 2099',
    undefined,
    undefined,
  ])
})

test('nobody is named without an ID token, or with one that is not a JWT', () => {
  expect([describeAccount(undefined), describeAccount(new Secret('no.token'))]).toEqual([undefined, undefined])
})
