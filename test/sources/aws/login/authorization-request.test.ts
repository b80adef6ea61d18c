import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  createAuthorizationRequest,
  parsePastedCode,
  renderAuthorizationAddress,
  renderConfirmationAddress,
} from '../../../../src/sources/aws/login/run-login.ts'

const origin = 'https://eu-central-1.signin.aws.amazon.com'

test('the address holds the parameters of the AWS CLI, with a challenge for the verifier', () => {
  const request = createAuthorizationRequest('same-device', 'http://127.0.0.1:40123/oauth/callback')
  const address = new URL(renderAuthorizationAddress(origin, request))
  expect({ path: `${address.origin}${address.pathname}`, query: [...address.searchParams] }).toEqual({
    path: `${origin}/v1/authorize`,
    query: [
      ['response_type', 'code'],
      ['client_id', 'arn:aws:signin:::devtools/same-device'],
      ['state', request.state],
      ['code_challenge_method', 'SHA-256'],
      ['scope', 'openid'],
      ['redirect_uri', 'http://127.0.0.1:40123/oauth/callback'],
      ['code_challenge', createHash('sha256').update(request.codeVerifier).digest('base64url')],
    ],
  })
})

test('the verifier has 64 letters that an address can hold', () => {
  const { codeVerifier } = createAuthorizationRequest('same-device', 'http://127.0.0.1:40123/oauth/callback')
  expect(codeVerifier.replace(/[\w-]{64}/, 'VERIFIER')).toBe('VERIFIER')
})

test('two requests share nothing', () => {
  const [a, b] = [1, 2].map(() => createAuthorizationRequest('same-device', ''))
  expect([a!.state === b!.state, a!.codeVerifier === b!.codeVerifier]).toEqual([false, false])
})

test('a request from another device leads to a page of AWS', () => {
  const { clientId, redirectUri } = createAuthorizationRequest('cross-device', renderConfirmationAddress(origin))
  expect([clientId, redirectUri]).toEqual([
    'arn:aws:signin:::devtools/cross-device',
    `${origin}/v1/sessions/confirmation`,
  ])
})

test('a pasted code is accepted with space around it, for this request only', () => {
  const request = createAuthorizationRequest('cross-device', renderConfirmationAddress(origin))
  const encode = (text: string) => Buffer.from(text).toString('base64')
  const own = ` ${encode(`state=${request.state}&code=a%2Fb`)}\n`
  const others = ['', 'code', encode('state=other&code=a'), encode(`state=${request.state}&code=`), encode('code=a')]
  expect([own, ...others].map((text) => parsePastedCode(text, request))).toEqual([
    'a/b',
    ...others.map(() => undefined),
  ])
})
