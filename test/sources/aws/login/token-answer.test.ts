import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { parseTokenAnswer } from '../../../../src/sources/aws/login/exchange-grant.ts'

const session = 'arn:aws:iam::111122223333:user/dev'
const site = {
  profile: 'dev',
  session,
  region: 'eu-central-1',
  renewalHint: 'sign in again',
  endpoints: { fips: false, dualStack: false, sts: 'regional', configured: {} },
} as const

function read(answer: Partial<Parameters<typeof parseTokenAnswer>[0]>): unknown {
  try {
    return parseTokenAnswer(
      { status: 200, contentType: 'application/json', text: '{}', clockOffsetMs: 0, ...answer },
      site,
    )
  } catch (error) {
    return error instanceof HelperError ? [error.kind, error.message, error.hint] : error
  }
}

const service = 'the AWS sign-in service in eu-central-1'
const signIn = 'the console sign-in of profile "dev"'
const foreign = 'find out what answers instead of AWS: a sign-in page of the network, or a proxy'

test.each([
  ['TOKEN_EXPIRED', 401, 'sign-in-required', `${signIn} has ended`, 'sign in again'],
  [
    'AUTHCODE_EXPIRED',
    401,
    'sign-in-required',
    `${signIn} took too long: AWS no longer accepts its code`,
    'sign in again',
  ],
  [
    'USER_CREDENTIALS_CHANGED',
    403,
    'sign-in-required',
    `${signIn} has ended, because the password of ${session} or its permissions have changed`,
    'sign in again',
  ],
  [
    'INSUFFICIENT_PERMISSIONS',
    403,
    'refused',
    `AWS does not allow ${session} the console sign-in for programs, which profile "dev" needs`,
    'have the AWS managed policy SignInLocalDevelopmentAccess attached to that identity',
  ],
  ['INVALID_REQUEST', 400, 'refused', `${service} refused ${signIn} (INVALID_REQUEST, HTTP 400)`, 'sign in again'],
  ['<b>', 400, 'refused', `${service} refused ${signIn} (HTTP 400)`, 'sign in again'],
])('the error %s (%i) ends as %s: %s', (error, status, ...failure) => {
  expect(read({ status, text: JSON.stringify({ error, message: 'secret' }) })).toEqual(failure)
})

test('a refusal while the clocks differ is explained by the clock', () => {
  expect(read({ status: 400, text: '{"error":"INVALID_REQUEST"}', clockOffsetMs: 600_000 })).toEqual([
    'refused',
    `${service} refused ${signIn} (INVALID_REQUEST, HTTP 400): this machine's clock is 10 min behind AWS's`,
    'set the clock of this machine',
  ])
})

test.each([
  [{ status: 500 }, `${service} is busy or broken (HTTP 500)`, 'try again in a moment'],
  [
    { status: 429, text: '{"error":"INVALID_REQUEST"}' },
    `${service} is busy or broken (HTTP 429)`,
    'try again in a moment',
  ],
  [{}, `${service} answered with something that is not an answer of AWS (HTTP 200)`, foreign],
  [{ status: 302 }, `${service} answered with something that is not an answer of AWS (HTTP 302)`, foreign],
  [
    { status: 403, contentType: 'text/html', text: '{"error":"TOKEN_EXPIRED"}' },
    `${service} answered with something that is not an answer of AWS (HTTP 403)`,
    foreign,
  ],
])('%j says nothing of the sign-in', (answer, message, hint) => {
  expect(read(answer)).toEqual(['unavailable', message, hint])
})
