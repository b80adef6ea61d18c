import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toStableValue } from '../setup/to-stable-text.ts'
import { startRotatingIssuer } from '../stand-ins/issuer/rotating-issuer.ts'
import { startModel } from '../stand-ins/model/model.ts'
import { startApacheWithVerifier } from './apache/apache-recipes.ts'
import { startCaddy } from './caddy/caddy-recipe.ts'
import type { GatewayProcess } from './gateway-process.ts'
import { startHaproxyWithVerifier } from './haproxy/haproxy-recipes.ts'
import { startNginx } from './nginx/start-nginx.ts'
import { runInDirectory, runWithGateway } from './run-with-gateway.ts'
import { audience, people } from './stage/print-tokens.ts'
import { bearer } from './stage/scenario.ts'
import { sendRequest } from './stage/send.ts'
import { startVerifier } from './stage/start-verifier.ts'

interface GatewayPlaces {
  readonly directory: string
  readonly verifierSocket: string
  readonly modelPort: number
}

const gateways: Readonly<Record<string, (places: GatewayPlaces) => Promise<GatewayProcess>>> = {
  nginx: (places) => startNginx('With auth_request', places),
  'nginx with njs': (places) => startNginx('With njs', places),
  Apache: startApacheWithVerifier,
  HAProxy: startHaproxyWithVerifier,
  Caddy: startCaddy,
}

const forged = [
  ['X-Request-Id', 'forged'],
  ['x-request-id', 'forged-twice'],
  ['X_Request_Id', 'forged-otherwise'],
] as const

test.each(Object.entries(gateways))(
  'the log of the verifier and the model have the request id of %s, whatever id the caller has sent',
  async (_, start) => {
    await using issuer = await startRotatingIssuer()
    await using model = await startModel()
    const { seen, log } = await withVerifier(issuer.issuer, async (verifierSocket) =>
      runWithGateway(
        (directory) => start({ directory, verifierSocket, modelPort: model.port }),
        async ({ url }) => {
          const token = await issuer.sign({ ...people.dana, aud: audience.jwt })
          const accepted = await sendRequest(url, { headers: [bearer(token), ...forged] })
          const atModel = model.take().flatMap(({ headers }) => headers.filter(([name]) => isRequestId(name)))
          const refused = await sendRequest(url, { headers: [bearer('e.e.e'), ...forged] })
          return { statuses: [accepted.status, refused.status], atModel }
        },
      ),
    )
    const ids = log.map(({ event, gateway_request: id }) => [event, id])
    const [accepted, refused] = ids.map(([, id]) => `${id}`)
    const known = { [`${accepted}`]: 'ACCEPTED', [`${refused}`]: 'REFUSED' }
    const atModel = seen.atModel.map(([name, id]) => [name.toLowerCase(), id])
    expect(toStableValue({ ...seen, atModel, ids }, known)).toEqual({
      statuses: [200, 401],
      atModel: [['x-request-id', 'ACCEPTED']],
      ids: [
        ['accepted', 'ACCEPTED'],
        ['refused', 'REFUSED'],
      ],
    })
    expect([accepted, refused].filter((id) => !/^req_[\w@-]{16,}$/.test(`${id}`))).toEqual([])
  },
)

function isRequestId(name: string): boolean {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-') === 'x-request-id'
}

/** Runs a verifier that logs whom it accepts, and gives its lines about requests. */
async function withVerifier<T>(issuer: string, use: (socket: string) => Promise<T>) {
  return await runInDirectory(async (directory) => {
    await chmod(directory, 0o711) // for Apache's own user
    const policy = join(directory, 'policy.json')
    const rule = { name: 'people', issuer, everyone: true, headers: { 'x-user': '{email}', 'x-account': '{email}' } }
    await writeFile(policy, JSON.stringify({ issuers: [{ issuer, audiences: [audience.jwt] }], rules: [rule] }))
    const socket = join(directory, 'verifier.sock')
    const verifier = await startVerifier({ policy, socket, env: { HOME: directory }, argv: ['--log-accepted'] })
    const ended = Promise.withResolvers<string>()
    const seen = await use(socket).finally(async () => ended.resolve((await verifier.stop()).stderr))
    const stderr = await ended.promise
    const lines = stderr.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    return { seen, log: lines.filter(({ event }) => event === 'accepted' || event === 'refused') }
  })
}
