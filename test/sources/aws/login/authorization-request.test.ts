import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  createAuthorizationRequest,
  parsePastedCode,
  renderAuthorizationAddress,
  renderConfirmationAddress,
} from '../../../../src/sources/aws/login/run-login.ts'

const origin = 'https://eu-central-1.signin.aws.amazon.com'

test('the address holds what the AWS CLI sends, with a challenge for the verifier', () => {
  const request = createAuthorizationRequest('same-device', 'http://127.0.0.1:40123/oauth/callback')
  const address = new URL(renderAuthorizationAddress(origin, request))
  expect(`${address.origin}${address.pathname}`).toBe(`${origin}/v1/authorize`)
  expect([...address.searchParams]).toEqual([
    ['response_type', 'code'],
    ['client_id', 'arn:aws:signin:::devtools/same-device'],
    ['state', request.state],
    ['code_challenge_method', 'SHA-256'],
    ['scope', 'openid'],
    ['redirect_uri', 'http://127.0.0.1:40123/oauth/callback'],
    ['code_challenge', createHash('sha256').update(request.codeVerifier).digest('base64url')],
  ])
  expect(request.codeVerifier).toMatch(/^[\w-]{64}$/)
})

test('two requests share nothing', () => {
  const [a, b] = [1, 2].map(() => createAuthorizationRequest('same-device', ''))
  expect([a!.state === b!.state, a!.codeVerifier === b!.codeVerifier]).toEqual([false, false])
})

test('what the person pastes is taken with space around it, for this request only', () => {
  const request = createAuthorizationRequest('cross-device', renderConfirmationAddress(origin))
  expect([request.clientId, request.redirectUri]).toEqual([
    'arn:aws:signin:::devtools/cross-device',
    `${origin}/v1/sessions/confirmation`,
  ])
  const paste = (text: string) => parsePastedCode(text, request)
  const encode = (text: string) => Buffer.from(text).toString('base64')
  expect(paste(` ${encode(`state=${request.state}&code=a%2Fb`)}\n`)).toBe('a/b')
  const others = ['', 'code', encode('state=other&code=a'), encode(`state=${request.state}&code=`), encode('code=a')]
  expect(others.map(paste)).toEqual(others.map(() => undefined))
})
