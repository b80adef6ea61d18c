import { createPublicKey } from 'node:crypto'
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { exchangeGrant } from '../../../../src/sources/aws/login/exchange-grant.ts'
import { createDpopKey } from '../../../../src/sources/aws/login/login-session.ts'
import { toStableText } from '../../../setup/to-stable-text.ts'

const session = 'arn:aws:iam::111122223333:user/dev'
const site = {
  profile: 'dev',
  session,
  region: 'eu-central-1',
  renewalHint: 'sign in again',
  endpoints: { fips: false, dualStack: false, sts: 'regional', configured: {} },
} as const
const now = Date.UTC(2026, 0, 15, 12)
const key = createDpopKey()
const grant = { grantType: 'refresh_token', clientId: 'c', refreshToken: 'r' } as const

interface Answer {
  readonly status?: number
  readonly contentType?: string
  readonly text?: string
  /** The clock of AWS minus that of this machine. */
  readonly aheadMs?: number
}

/** Exchanges a grant for an answer; gives the proof that was sent, and how the exchange failed. */
async function exchange({ status = 200, contentType = 'application/json', text = '{}', aheadMs = 0 }: Answer = {}) {
  let proof = ''
  const headers = { 'content-type': contentType, date: new Date(now + aheadMs).toUTCString() }
  const parts = {
    site,
    host: { clock: { now: () => now + 999 } as never },
    call: {} as never,
    fetch: async (_call: unknown, _request: unknown, init: unknown) => {
      proof = (init as () => { headers: { DPoP: string } })().headers.DPoP
      return new Response(text, { status, headers })
    },
  }
  const failure = await exchangeGrant(grant, key, parts).catch((error) =>
    error instanceof HelperError ? [error.kind, error.message, error.hint] : error,
  )
  return { proof, failure }
}

test('a proof is a JWT for one POST, verified by jose with the public key in its header', async () => {
  const { proof } = await exchange()
  const { kty, crv, x, y } = createPublicKey(key).export({ format: 'jwk' })
  const { payload } = await jwtVerify(proof, await importJWK({ kty, crv, x, y } as { kty: 'EC' }, 'ES256'))
  expect({ ...decodeProtectedHeader(proof), ...payload, jti: toStableText(payload.jti!) }).toEqual({
    typ: 'dpop+jwt',
    alg: 'ES256',
    jwk: { kty, crv, x, y },
    htm: 'POST',
    htu: 'https://eu-central-1.signin.aws.amazon.com/v1/token',
    iat: now / 1000,
    jti: 'UUID',
  })
})

test('no two proofs for the same request are the same', async () => {
  const [first, second] = [await exchange(), await exchange()].map(({ proof }) => proof.split('.')[1])
  expect(first).not.toBe(second)
})

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
])('the error %s (%i) ends as %s: %s', async (error, status, ...failure) => {
  const text = JSON.stringify({ error, message: 'secret' })
  expect((await exchange({ status, text })).failure).toEqual(failure)
})

test('a refusal while the clocks differ is explained by the clock', async () => {
  const { failure } = await exchange({ status: 400, text: '{"error":"INVALID_REQUEST"}', aheadMs: 600_000 })
  expect(failure).toEqual([
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
])('%j says nothing of the sign-in', async (answer, message, hint) => {
  expect((await exchange(answer)).failure).toEqual(['unavailable', message, hint])
})
