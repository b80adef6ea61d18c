import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { createKeyFinder, verifyAssertion } from '../../../src/gateway/credentials/verify-assertion.ts'

test('an endless key set is given up, and the record of the gateway says what was seen', async () => {
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
    controller.enqueue(Buffer.alloc(65_536, ' '))
  const fetch = async () =>
    new Response(new ReadableStream({ pull }), { headers: { 'content-type': 'application/json' } })
  const issuer = { id: 'i', issuer: 'https://id.example', keys: { url: 'https://id.example/jwks' } }
  const rule = { conditions: { audience: 'a', subject: '*', claims: {} } } as never // no more of it is read before the keys
  const assertion = await new SignJWT({ iss: 'https://id.example' })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.alloc(32))
  const unsigned = assertion.replace(/^[^.]+/, Buffer.from('{"alg":"RS256"}').toString('base64url'))
  const keys = createKeyFinder(fetch)(issuer)
  expect(await verifyAssertion(unsigned, { issuer, rule, keys, now: Date.now() })).toEqual({
    ok: false,
    reason:
      'the keys of the issuer cannot be fetched: id.example answered HTTP 200 (application/json) with more than 1024 KiB',
  })
})
