import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listPolicyHeaders } from '../../src/cli/gateway/verifier/recipe.ts'
import { parsePolicy } from '../../src/verify/policy/parse-policy.ts'
import { startRotatingIssuer } from '../stand-ins/issuer/rotating-issuer.ts'
import { startModel } from '../stand-ins/model/model.ts'
import { startApacheWithVerifier } from './apache/apache-recipes.ts'
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
  readonly names: readonly string[]
}

const gateways: Readonly<Record<string, (places: GatewayPlaces) => Promise<GatewayProcess>>> = {
  nginx: (places) => startNginx('With auth_request', places),
  'nginx with njs': (places) => startNginx('With njs', places),
  Apache: startApacheWithVerifier,
  HAProxy: startHaproxyWithVerifier,
}

test.each(Object.entries(gateways))(
  'a caller’s own header of a policy does not reach the model through the recipe for %s',
  async (_, start) => {
    await using issuer = await startRotatingIssuer()
    await using model = await startModel()
    const policy = renderPolicy(issuer.issuer)
    const names = listPolicyHeaders(parsePolicy(Buffer.from(policy)).policy!)
    const person = { ...people.dana, aud: audience.jwt }
    const forged = [
      ['X-Groups', 'admins'],
      ['x-GROUPS', 'admins'],
      ['X_Groups', 'admins'],
      ['X.Groups', 'admins'],
      ['x-Groups', ''],
    ] as const
    const arrived = await withVerifier(policy, (verifierSocket) =>
      runWithGateway(
        (own) => start({ directory: own, verifierSocket, modelPort: model.port, names }),
        async ({ url }) => {
          const ask = async (claims: Readonly<Record<string, unknown>>) => {
            const headers = [bearer(await issuer.sign(claims)), ...forged]
            const { status } = await sendRequest(url, { headers })
            return { status, headers: model.take().flatMap((request) => selectNamed(request.headers)) }
          }
          return {
            member: await ask({ ...person, groups: ['llm-users'] }),
            guest: await ask({ ...person, groups: [] }),
          }
        },
      ),
    )
    const user = `x-user: ${people.dana.email}`
    expect(arrived).toEqual({
      member: { status: 200, headers: ['x-groups: llm-users', user] },
      guest: { status: 200, headers: [user] },
    })
  },
)

/** The headers that name a caller, in whatever spelling, where they have a value. */
function selectNamed(headers: readonly (readonly [name: string, value: string])[]): string[] {
  const normal = headers.map(([name, value]) => [name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-'), value] as const)
  return normal
    .filter(([name, value]) => ['x-user', 'x-groups'].includes(name) && value !== '')
    .map(([name, value]) => `${name}: ${value}`)
    .toSorted()
}

/** Two rules, of which one sets a header that the other does not. */
function renderPolicy(issuer: string): string {
  const own = { issuer, claims: { groups: ['llm-*'] } }
  return JSON.stringify({
    issuers: [{ issuer, audiences: [audience.jwt] }],
    rules: [
      { name: 'members', ...own, headers: { 'x-user': '{email}', 'x-groups': '{groups}' } },
      { name: 'guests', issuer, everyone: true, headers: { 'x-user': '{email}' } },
    ],
  })
}

async function withVerifier<T>(policy: string, use: (socket: string) => Promise<T>): Promise<T> {
  return await runInDirectory(async (directory) => {
    await chmod(directory, 0o711) // for Apache's own user
    const file = join(directory, 'policy.json')
    await writeFile(file, policy, { mode: 0o644 })
    const socket = join(directory, 'verifier.sock')
    const verifier = await startVerifier({ policy: file, socket, env: { HOME: directory } })
    return await use(socket).finally(verifier.stop)
  })
}
