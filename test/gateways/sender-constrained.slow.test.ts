import { createHash, randomUUID, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { startRotatingIssuer } from '../stand-ins/issuer/rotating-issuer.ts'
import { type ModelStandIn, startModel } from '../stand-ins/model/model.ts'
import { type Certificate, createAuthority } from '../stand-ins/tls/certificate.ts'
import { type NginxProcess, startNginx } from './nginx/start-nginx.ts'
import { runInDirectory, runWithGateway } from './run-with-gateway.ts'
import { audience, people } from './stage/print-tokens.ts'
import { type ClientRequest, sendRequest } from './stage/send.ts'
import { gateways, withVerifier } from './verified-gateways.ts'

const forged = [
  ['X-Client-Cert', 'forged'],
  ['X_Client_Cert', 'forged'],
] as const

test.each(['With auth_request', 'With njs'] as const)(
  'a token that is bound to a client certificate passes nginx, %s, with that certificate alone',
  async (recipe) => {
    await using issuer = await startRotatingIssuer()
    await using model = await startModel()
    const authority = createAuthority('Client Authority')
    const [own, other] = [authority.issue({ names: ['dana'] }), authority.issue({ names: ['guest'] })]
    const x5t = createHash('sha256').update(new X509Certificate(own.cert).raw).digest('base64url')
    const bound = await issuer.sign({ ...people.dana, aud: audience.jwt, cnf: { 'x5t#S256': x5t } })
    const bearer = await issuer.sign({ ...people.dana, aud: audience.jwt })
    const header = encodeURIComponent(own.cert)
    const results = await withVerifier(
      renderPolicy(issuer.issuer),
      (verifierSocket) =>
        runInDirectory(async (directory) => {
          const places = { directory, verifierSocket, modelPort: model.port, terms: { names: ['x-user'] } }
          const nginx = await startNginx(recipe, { ...places, asksForCertificates: true })
          const ask = (token: string, certificate?: Certificate, headers: typeof forged | readonly [] = []) =>
            sendWithCertificate(nginx, model, { token, certificate, headers })
          try {
            return [
              await ask(bound, own, forged),
              await ask(bound, own),
              await ask(bound, other),
              await ask(bound),
              await ask(bound, undefined, [['X-Client-Cert', header]] as never),
              await ask(bound, other, [['X-Client-Cert', header]] as never),
              await ask(bearer, own, forged),
              await ask(bearer),
            ]
          } finally {
            await nginx.close()
          }
        }),
      ['--client-cert-header', 'x-client-cert'],
    )
    const passes = { status: 200, reason: undefined, model: [[['x-user', 'dana@example.com']]] }
    const refused = { status: 401, reason: 'certificate', model: [] }
    expect(results).toEqual([passes, passes, refused, refused, refused, refused, passes, passes])
  },
)

test.each(Object.entries(gateways))(
  'a token that is bound to a key passes the recipe for %s once with each proof of that key',
  async (_, start) => {
    await using issuer = await startRotatingIssuer()
    await using model = await startModel()
    const client = await createDpopClient()
    const stranger = await createDpopClient()
    const token = await issuer.sign({ ...people.dana, aud: audience.jwt, cnf: { jkt: client.thumbprint } })
    const bearer = await issuer.sign({ ...people.dana, aud: audience.jwt })
    const results = await withVerifier(
      renderPolicy(issuer.issuer),
      (verifierSocket) =>
        runWithGateway(
          (own) => start({ directory: own, verifierSocket, modelPort: model.port, terms: { names: ['x-user'] } }),
          async ({ url }) => {
            const ask = async (headers: ClientRequest['headers'] = [], more: ClientRequest = {}) => {
              const { status, headers: answer } = await sendRequest(url, { ...more, headers })
              return toResult(status, answer, model)
            }
            const target = { htm: 'POST', htu: `${url}/v1/messages`, token }
            const once = await client.send(target)
            const [scheme, dpop] = await client.send(target)
            return {
              passes: await ask(once),
              again: await ask(once),
              'with a query': await ask(await client.send(target), { path: '/v1/messages?beta=true' }),
              'another path': await ask(await client.send(target), { path: '/v1/files' }),
              'another method': await ask(await client.send(target), { method: 'GET' }),
              'another key': await ask(await stranger.send(target)),
              'as a bearer token': await ask([['Authorization', `Bearer ${token}`], dpop]),
              'without a proof': await ask([scheme]),
              'with two proofs': await ask([scheme, dpop, dpop]),
              'a bearer token with a proof': await ask(await client.send({ ...target, token: bearer })),
              'a bearer token': await ask([['Authorization', `Bearer ${bearer}`]]),
            }
          },
        ),
      ['--request-from', 'x-forwarded'],
    )
    const passes = { status: 200, reason: undefined, model: [[['x-user', 'dana@example.com']]] }
    const refused = (reason: string) => ({ status: 401, reason, model: [] })
    expect(results).toEqual({
      passes,
      again: refused('proof-replayed'),
      'with a query': passes,
      'another path': refused('proof'),
      'another method': refused('proof'),
      'another key': refused('key-binding'),
      'as a bearer token': refused('key-binding'),
      'without a proof': refused('proof'),
      'with two proofs': refused('proof'),
      'a bearer token with a proof': refused('key-binding'),
      'a bearer token': passes,
    })
  },
)

/** Creates a client that obtains nothing and proves everything: RFC 9449, section 4.2, with `jose`. */
async function createDpopClient() {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(publicKey)
  const send = async ({ token, ...target }: { htm: string; htu: string; token: string }) => {
    const ath = createHash('sha256').update(token).digest('base64url')
    const proof = await new SignJWT({ ...target, ath, jti: randomUUID() })
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
      .setIssuedAt()
      .sign(privateKey)
    return [['Authorization', `DPoP ${token}`] as const, ['DPoP', proof] as const] as const
  }
  return { thumbprint: await calculateJwkThumbprint(jwk), send }
}

/** Sends a request over TLS with a certificate of the client's own. */
async function sendWithCertificate(
  { tlsUrl, ca }: NginxProcess,
  model: ModelStandIn,
  sent: { token: string; certificate: Certificate | undefined; headers: NonNullable<ClientRequest['headers']> },
) {
  const headers = ['Host', 'gateway.example', 'Authorization', `Bearer ${sent.token}`, ...sent.headers.flat()]
  const tls = { ca, servername: 'gateway.example', ...sent.certificate }
  const call = request(`${tlsUrl}/v1/messages`, { method: 'GET', agent: false, headers, ...tls }).end()
  const [answer] = await once(call, 'response')
  await text(answer)
  return toResult(answer.statusCode, answer.headers, model)
}

/** Returns the answer to the client, and the identity and the proofs that reached the model. */
function toResult(status: number, headers: Readonly<Record<string, unknown>>, model: ModelStandIn) {
  const kept = model.take().map((each) => each.headers.filter(([name]) => /^(x-user|.*cert.*|dpop)$/.test(name)))
  return { status, reason: headers['gatepass-refusal'], model: kept }
}

function renderPolicy(issuer: string): string {
  return JSON.stringify({
    issuers: [{ issuer, audiences: [audience.jwt] }],
    rules: [{ name: 'people', issuer, everyone: true, headers: { 'x-user': '{email}' } }],
  })
}
