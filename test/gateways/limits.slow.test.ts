import { expect, test } from 'vitest'
import { startRotatingIssuer } from '../stand-ins/issuer/rotating-issuer.ts'
import { startModel } from '../stand-ins/model/model.ts'
import { runWithGateway } from './run-with-gateway.ts'
import { audience, people } from './stage/print-tokens.ts'
import { bearer } from './stage/scenario.ts'
import { sendRequest } from './stage/send.ts'
import { gateways, withVerifier } from './verified-gateways.ts'

test.each(Object.entries(gateways))(
  'the recipe for %s answers whoever sends too much, and nobody else, with 429 and Retry-After',
  async (_, start) => {
    await using issuer = await startRotatingIssuer()
    await using model = await startModel()
    const sign = async (sub: string) => bearer(await issuer.sign({ ...people.dana, sub, aud: audience.jwt }))
    const [dana, eve, unknown] = [await sign('dana'), await sign('eve'), await sign('unknown')]
    const results = await withVerifier(
      renderPolicy(issuer.issuer),
      (verifierSocket) =>
        runWithGateway(
          (own) => start({ directory: own, verifierSocket, modelPort: model.port, terms: { names: ['x-user'] } }),
          async ({ url }) => {
            const send = async (credential: readonly [string, string], client = '203.0.113.9') => {
              const sent = await sendRequest(url, { headers: [credential, ['X-Forwarded-For', client]] })
              const { status, headers, body } = sent
              const reason = status === 200 ? undefined : JSON.parse(body).error.reason
              const retry = Number(headers['retry-after'])
              return {
                status,
                reason,
                ...(status === 429 && { type: JSON.parse(body).error.type, isLater: retry > 3_000 && retry <= 3_600 }),
              }
            }
            const callers = [await send(dana), await send(eve), await send(dana), await send(eve)]
            const address = [await send(bearer('e.e.1')), await send(bearer('e.e.2'), '203.0.113.1')]
            return { callers, address: [...address, await send(unknown, '203.0.113.2')] }
          },
        ),
      ['--request-from', 'x-forwarded'],
    )
    const limited = { status: 429, reason: 'too-many-requests', type: 'rate_limit_error', isLater: true }
    const passes = { status: 200, reason: undefined }
    expect({ ...results, atModel: model.take().length }).toEqual({
      callers: [passes, passes, limited, limited],
      address: [{ status: 401, reason: 'malformed' }, limited, limited],
      atModel: 2,
    })
  },
)

function renderPolicy(issuer: string): string {
  const hourly = { requests: 1, everySec: 3_600 }
  return JSON.stringify({
    issuers: [{ issuer, audiences: [audience.jwt] }],
    rules: [{ name: 'people', issuer, everyone: true, headers: { 'x-user': '{sub}' } }],
    limits: { callers: hourly, addresses: hourly },
  })
}
