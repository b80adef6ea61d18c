import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { removedHeaders } from '../../src/cli/gateway/recipes/recipe.ts'
import { startRotatingIssuer } from '../stand-ins/issuer/rotating-issuer.ts'
import { startModel } from '../stand-ins/model/model.ts'
import { runInDirectory, runWithGateway } from './run-with-gateway.ts'
import { audience, people } from './stage/print-tokens.ts'
import { bearer } from './stage/scenario.ts'
import { sendRequest } from './stage/send.ts'
import { gateways, withVerifier } from './verified-gateways.ts'

test.each(Object.entries(gateways))(
  'the verifier notices a configuration of %s that is of another policy, and no caller can pretend one',
  async (_, start) => {
    await using issuer = await startRotatingIssuer()
    await using model = await startModel()
    const token = await issuer.sign({ ...people.dana, aud: audience.jwt })
    const seen = await runInDirectory(async (own) => {
      const admin = join(own, 'admin.sock')
      const askThrough = (names: readonly string[], digest: string) => (verifierSocket: string) =>
        runWithGateway(
          (directory) => start({ directory, verifierSocket, modelPort: model.port, terms: { names } }),
          async ({ url }) => {
            const forged = [['Gatepass-Recipe', digest] as const, ...removedHeaders.map((name) => [name, 'x'] as const)]
            const { status } = await sendRequest(url, { headers: [bearer(token), ...forged] })
            const [passed] = model.take()
            const kept = passed?.headers.map(([name]) => name).filter((name) => isRemoved.has(name))
            return { status, kept, metric: await readMetric(admin) }
          },
        )
      return await withVerifier(
        renderPolicy(issuer.issuer),
        async (socket) => ({
          same: await askThrough(['x-user'], '000000000000')(socket),
          other: (await askThrough(['x-user', 'x-team'], '000000000000')(socket)).metric,
        }),
        ['--admin-listen', admin],
      )
    })
    expect(seen).toEqual({
      same: { status: 200, kept: [], metric: 'gatepass_recipe_differs 0' },
      other: 'gatepass_recipe_differs 1',
    })
  },
)

const isRemoved: ReadonlySet<string> = new Set(removedHeaders)

function renderPolicy(issuer: string): string {
  return JSON.stringify({
    issuers: [{ issuer, audiences: [audience.jwt] }],
    rules: [{ name: 'people', issuer, everyone: true, headers: { 'x-user': '{email}' } }],
  })
}

async function readMetric(socketPath: string): Promise<string | undefined> {
  const answer = await new Promise<string>((resolve, reject) => {
    request({ socketPath, path: '/metrics' }, (response) => resolve(text(response)))
      .on('error', reject)
      .end()
  })
  return answer.split('\n').find((line) => line.startsWith('gatepass_recipe_differs'))
}
