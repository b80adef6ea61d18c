import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startRotatingIssuer } from '../stand-ins/issuer/rotating-issuer.ts'
import { startModel } from '../stand-ins/model/model.ts'
import { runInDirectory, runWithGateway } from './run-with-gateway.ts'
import { audience, people } from './stage/print-tokens.ts'
import { bearer } from './stage/scenario.ts'
import { sendRequest } from './stage/send.ts'
import { gateways, withVerifier } from './verified-gateways.ts'

const forged = [
  ['X-Forwarded-For', '192.0.2.7'],
  ['X-Real-Ip', '192.0.2.8'],
  ['Forwarded', 'for=192.0.2.9'],
  ['X-Forwarded-Method', 'GET'],
  ['X-Forwarded-Host', 'other.example'],
  ['X-Forwarded-Uri', '/v1/other'],
] as const

test.each(Object.entries(gateways))(
  'the audit has the address, method and path of the caller behind the recipe for %s, whatever the caller says of them',
  async (_, start) => {
    await using issuer = await startRotatingIssuer()
    await using model = await startModel()
    const token = await issuer.sign({ ...people.dana, aud: audience.jwt })
    const audit = await runInDirectory(async (directory) => {
      const file = join(directory, 'audit.jsonl')
      const askTwice = (verifierSocket: string) =>
        runWithGateway(
          (own) => start({ directory: own, verifierSocket, modelPort: model.port, terms: { names: ['x-user'] } }),
          async ({ url }) => {
            await sendRequest(url, { path: '/v1/messages?key=secret', headers: [bearer(token), ...forged] })
            await sendRequest(url, { method: 'GET', path: '/v1/files', headers: [bearer('e.e.e'), ...forged] })
          },
        )
      await withVerifier(renderPolicy(issuer.issuer), askTwice, ['--request-from', 'x-forwarded', '--audit', file])
      return await readFile(file, 'utf8')
    })
    const lines = audit.split('\n').filter((line) => line !== '')
    const stated = lines.map((line) => JSON.parse(line)).map(({ client, method, route }) => ({ client, method, route }))
    expect({ stated, hasForged: /192\.0\.2|other|secret/.test(audit) }).toEqual({
      stated: [
        { client: '127.0.0.1', method: 'POST', route: '/v1/messages' },
        { client: '127.0.0.1', method: 'GET', route: '/v1/files' },
      ],
      hasForged: false,
    })
  },
)

function renderPolicy(issuer: string): string {
  return JSON.stringify({
    issuers: [{ issuer, audiences: [audience.jwt] }],
    rules: [{ name: 'people', issuer, everyone: true, headers: { 'x-user': '{email}' } }],
  })
}
