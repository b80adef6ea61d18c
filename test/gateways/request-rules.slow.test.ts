import { expect, test } from 'vitest'
import { startRotatingIssuer } from '../stand-ins/issuer/rotating-issuer.ts'
import { startModel } from '../stand-ins/model/model.ts'
import { runWithGateway } from './run-with-gateway.ts'
import { audience, people } from './stage/print-tokens.ts'
import { bearer } from './stage/scenario.ts'
import { type ClientRequest, sendRequest } from './stage/send.ts'
import { gateways, withVerifier } from './verified-gateways.ts'

const forged = [
  ['X-Forwarded-Method', 'POST'],
  ['X-Forwarded-Uri', '/v1/messages'],
  ['X-Forwarded-Host', 'gateway.example'],
  ['X-Original-URI', '/v1/messages'],
  ['X-HTTP-Method-Override', 'POST'],
] as const

const allowed = ['/v1/messages', '/v1/messages?beta=true&to=/../'].map((path): ClientRequest => ({ path }))

const refused: readonly ClientRequest[] = [
  { method: 'GET', path: '/v1/messages' },
  ...[
    ...['/v1/files', '/v1/files?/v1/messages', '/v1/messages/', '/v1//messages', '//v1/messages', '/v1/./messages'],
    ...['/v1/files/../messages', '/v1/messages/../files', '/v1/%6dessages', '/v1/messages%2f..%2ffiles'],
    ...['/v1/messages;x=1', '/v1/messages/..;/files', '/v1/messages%00', '/V1/messages'],
  ].map((path) => ({ path })),
]

test.each(Object.entries(gateways))(
  'a rule for a method and a path holds for no other request through the recipe for %s',
  async (_, start) => {
    await using issuer = await startRotatingIssuer()
    await using model = await startModel()
    const token = await issuer.sign({ ...people.dana, aud: audience.jwt, groups: ['llm-users'] })
    const results = await withVerifier(
      renderPolicy(issuer.issuer),
      (verifierSocket) =>
        runWithGateway(
          (own) => start({ directory: own, verifierSocket, modelPort: model.port, terms: { names: ['x-user'] } }),
          async ({ url }) => {
            const results: { sent: string; passes: boolean }[] = []
            for (const request of [...allowed, ...refused]) {
              await sendRequest(url, { ...request, headers: [bearer(token), ...forged] })
              const { method = 'POST', path } = request
              results.push({ sent: `${method} ${path}`, passes: model.take().length > 0 })
            }
            return results
          },
        ),
      ['--request-from', 'x-forwarded'],
    )
    const expected = [...allowed, ...refused].map((request) => ({
      sent: `${request.method ?? 'POST'} ${request.path}`,
      passes: allowed.includes(request),
    }))
    expect(results).toEqual(expected)
  },
)

function renderPolicy(issuer: string): string {
  return JSON.stringify({
    issuers: [{ issuer, audiences: [audience.jwt] }],
    rules: [
      {
        name: 'chat',
        issuer,
        claims: { groups: ['llm-*'] },
        request: { methods: ['POST'], paths: ['/v1/messages'] },
        headers: { 'x-user': '{email}' },
      },
    ],
  })
}
