import { once } from 'node:events'
import { connect } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import { createMemoryReplayStore } from '../../../src/verify/replay/memory-replay-store.ts'
import { createBoundedServer } from '../../../src/verify/server/bounded-server.ts'
import { createDecideRequest, createVerifierListener } from '../../../src/verify/server/verifier-listener.ts'
import { createVerifier } from '../../../src/verify/verifier/create-verifier.ts'

const issuer = 'https://idp.example'

/** Starts a server whose verifier checks real JWTs, of an issuer that counts how often it is asked. */
async function startRealVerifier() {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const key = { ...(await exportJWK(publicKey)), kid: 'known', alg: 'ES256' }
  const asked: string[] = []
  const fetch = async (url: string) => {
    asked.push(url)
    return Response.json(url.endsWith('/keys') ? { keys: [key] } : { issuer, jwks_uri: `${issuer}/keys` })
  }
  const headers = { 'x-user': '{sub}', 'x-name': '{name?}' }
  const rule = { name: 'all', issuer, everyone: true, headers }
  const text = JSON.stringify({ issuers: [{ issuer, audiences: ['gateway'] }], rules: [rule] })
  const { policy } = parsePolicy(Buffer.from(text))
  const [now, keys] = [Date.now, createIssuerKeys({ fetch, now: Date.now })]
  const verifier = createVerifier({ policy: () => policy!, keys, fetch, replay: createMemoryReplayStore({ now }), now })
  const ignore = () => {}
  const decideRequest = createDecideRequest({ verifier, tokenHeaders: ['authorization'], observe: ignore })
  const answers = { decideRequest, onAnswer: ignore }
  const listener = createVerifierListener(() => answers, { from: 'nothing' })
  const server = createBoundedServer(listener)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const sign = (claims: JWTPayload, kid = 'known') =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid })
      .setIssuer(issuer)
      .setAudience('gateway')
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey)
  return { port: (server.address() as { port: number }).port, asked, sign, verifier } // a TCP server, which listens
}

test('claims with line breaks and other characters begin no header of their own', async () => {
  const { port, sign } = await startRealVerifier()
  const token = await sign({ sub: 'a\r\nx-name: root', name: 'Zoë\0,\u2028%0d' })
  const { status, headers } = await fetch(`http://127.0.0.1:${port}`, { headers: { authorization: `Bearer ${token}` } })
  const seen = ['x-user', 'x-name'].map((name) => headers.get(name))
  expect({ status, seen }).toEqual({ status: 200, seen: ['a%0D%0Ax-name: root', 'Zo%C3%AB%00%2C%E2%80%A8%250d'] })
})

test('twenty thousand unknown keys over HTTP are refused with two requests to the issuer', async () => {
  const { port, asked, sign, verifier } = await startRealVerifier()
  const token = await sign({ sub: 'ann' })
  const pass = async () =>
    (await fetch(`http://127.0.0.1:${port}`, { headers: { authorization: `Bearer ${token}` } })).status
  const before = await pass() // so that the first ones need not wait for the issuer
  const [, claims, signature] = token.split('.')
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const reasons = new Map<string, number>()
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes
    const end = received.lastIndexOf('\r\n\r\n')
    for (const [, reason = ''] of received.slice(0, end).matchAll(/^gatepass-refusal: (\S+)/gm))
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    received = received.slice(end)
  })
  const count = () => [...reasons.values()].reduce((sum, one) => sum + one, 0)
  for (let from = 0; from < 20_000; from += 200) {
    const requests = Array.from({ length: 200 }, (_, at) => {
      const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: `unknown ${from + at}` })).toString('base64url')
      return `GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${header}.${claims}.${signature}\r\n\r\n`
    })
    socket.write(requests.join(''))
    while (count() < from + 200) await once(socket, 'data')
  }
  const documents = [`${issuer}/.well-known/openid-configuration`, `${issuer}/keys`]
  expect({ reasons: [...reasons], asked, passes: [before, await pass()], state: verifier.state() }).toEqual({
    reasons: [['unknown-key', 20_000]],
    asked: [...documents, ...documents],
    passes: [200, 200],
    state: { cacheEntries: 1, inFlight: 0 },
  })
})
