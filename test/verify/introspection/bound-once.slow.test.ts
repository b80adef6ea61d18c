import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, onTestFinished, test } from 'vitest'
import { startVerifierProcess } from '../../cli/gateway/verifier/verifier-process.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startRedis } from '../../stand-ins/redis/start-redis.ts'

/** Starts a provider that has bound every token to one key, and names it by a `jti` if the token begins with it. */
async function startBindingProvider(jkt: string) {
  const server = createServer(async (request, response) => {
    const token = new URLSearchParams(await text(request)).get('token') ?? ''
    const now = Math.floor(Date.now() / 1000)
    const jti = /^jti-\d+/.exec(token)?.[0]
    const answer = {
      sub: 'dana',
      aud: 'models',
      exp: now + 300,
      iat: now,
      token_type: 'DPoP',
      cnf: { jkt },
      jti,
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ active: true, ...answer }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server, which listens
}

const address = 'https://models.example/v1/messages'

test('tokens that are not JWTs, bound to a key and for one use, pass once at two verifiers with a Redis', async () => {
  const [own, foreign] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')]
  const issuer = await startBindingProvider(await calculateJwkThumbprint(await exportJWK(own.publicKey)))
  const [directory, redis] = [await temporaryDirectory(), await startRedis()]
  const introspection = {
    url: `${issuer}/introspect`,
    clientId: 'gateway',
    secretFile: 'secret',
    opaqueTokens: 'asked',
  }
  const policy = {
    issuers: [{ issuer, audiences: ['models'], introspection }],
    rules: [{ name: 'once', issuer, claims: { sub: ['dana'] }, headers: { 'x-user': '{sub}' }, use: 'once' }],
  }
  await writeFile(join(directory, 'policy.json'), JSON.stringify(policy))
  await writeFile(join(directory, 'secret'), 'canary', { mode: 0o600 })
  const start = () =>
    startVerifierProcess(
      ...['--policy', join(directory, 'policy.json'), '--listen', '127.0.0.1:0'],
      ...['--request-from', 'x-forwarded', '--redis', `redis://127.0.0.1:${redis.port}`],
    )
  const [first, second] = [await start(), await start()]

  let count = 0
  const prove = async (token: string, { privateKey, publicKey } = own) => {
    const ath = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(token))).toString('base64url')
    count += 1
    return new SignJWT({ htm: 'POST', htu: address, ath, jti: `proof-${count}` })
      .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) })
      .setIssuedAt()
      .sign(privateKey)
  }
  const askWith = async (verifier: typeof first, token: string, proof?: string, scheme = 'DPoP') => {
    const { status, headers } = await fetch(verifier.addresses.listen, {
      headers: {
        authorization: `${scheme} ${token}`,
        ...(proof !== undefined && { dpop: proof }),
        'x-forwarded-method': 'POST',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'models.example',
        'x-forwarded-uri': '/v1/messages',
      },
    })
    return `${status} ${headers.get('gatepass-refusal') ?? headers.get('x-user')}`
  }
  const proof = await prove('token-1')
  const answers = {
    'no proof': await askWith(first, 'token-1', undefined, 'Bearer'),
    'a proof by another key': await askWith(first, 'token-1', await prove('token-1', foreign)),
    'a proof for another token': await askWith(first, 'token-1', await prove('token-2')),
    'its proof': await askWith(first, 'token-1', proof),
    'the same proof at the other': await askWith(second, 'token-1', proof),
    'the token with another proof there': await askWith(second, 'token-1', await prove('token-1')),
    'and at the first': await askWith(first, 'token-1', await prove('token-1')),
    'a token with a name': await askWith(second, 'jti-1', await prove('jti-1')),
    'another text of it': await askWith(first, 'jti-1==', await prove('jti-1==')),
  }
  const race = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => askWith([first, second][at % 2]!, 'token-9', await prove('token-9'))),
  )
  await redis.kill()
  expect({
    ...answers,
    'twenty at once': race.sort(),
    'without a Redis': await askWith(second, 'token-3', await prove('token-3')),
  }).toEqual({
    'no proof': '401 key-binding',
    'a proof by another key': '401 key-binding',
    'a proof for another token': '401 proof',
    'its proof': '200 dana',
    'the same proof at the other': '401 proof-replayed',
    'the token with another proof there': '401 replayed',
    'and at the first': '401 replayed',
    'a token with a name': '200 dana',
    'another text of it': '401 replayed',
    'twenty at once': ['200 dana', ...Array<string>(19).fill('401 replayed')],
    'without a Redis': '503 replay-store-unavailable',
  })
})
