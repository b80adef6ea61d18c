import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiPaths } from '../../src/contract/http-api.ts'
import { type Gateway, startGateway } from '../../src/gateway/start-gateway.ts'
import { nginxPath, startNginx } from '../../test/gateways/nginx/start-nginx.ts'
import { startVerifier } from '../../test/gateways/stage/start-verifier.ts'
import { type RotatingIssuer, startRotatingIssuer } from '../../test/stand-ins/issuer/rotating-issuer.ts'
import { toBundlePath } from '../tree.ts'
import { startFront } from './front.ts'

/** An identity provider, a gateway that asks the verifier, a model behind it, and a person's helper. */
export interface Site extends AsyncDisposable {
  /** The gateway's address. */
  readonly url: string
  readonly issuer: RotatingIssuer
  readonly model: Gateway
  /** The person's helper without options of its own. */
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Lets only one group pass, and waits until the gateway answers accordingly. */
  permit(group: string, status: number): Promise<void>
}

/** The gateway between the client and the model: nginx, or a small one of our own. */
export type FrontKind = 'nginx' | 'own'

/** Chooses nginx if it is installed, otherwise our own gateway. */
export function detectGateway(): FrontKind {
  return existsSync(nginxPath) ? 'nginx' : 'own'
}

const audience = 'https://gateway.example'
const dana = { sub: '42', aud: audience, email: 'dana@example.com', groups: ['ai-users'] }
const modelKey = 'key-of-the-gateway'

/** Starts the whole site, with the helper, the verifier and nginx as processes of their own. */
export async function startSite(home: string, kind: FrontKind): Promise<Site> {
  const directory = await mkdtemp(join(tmpdir(), 'gatepass-demo-')) // nginx does not support a space in a path
  const issuer = await startRotatingIssuer(dana)
  const model = await startGateway({
    verify: (token) => (token === modelKey ? { ok: true } : { ok: false, reason: 'no key of the gateway' }),
  })
  const policy = join(directory, 'policy.json')
  const writePolicy = (group: string) => writeFile(policy, renderPolicy(issuer.issuer, group))
  await writePolicy('ai-users')
  const socket = join(directory, 'verifier.sock')
  const verifier = await startVerifier({ policy, socket, env: { HOME: directory } })
  const modelPort = Number(new URL(model.url).port)
  const gateway = await startDoor(kind, { directory, verifierSocket: socket, modelPort, modelKey })
  const script = join(home, 'print-token.mjs')
  await writeFile(script, tokenProgram)
  const command = [process.execPath, script].flatMap((word) => ['--command', word])
  return {
    url: gateway.url,
    issuer,
    model,
    command: process.execPath,
    args: [toBundlePath('command-token'), ...command],
    env: { HOME: home, TOKEN_URL: `${issuer.issuer}/token` },
    permit: async (group, status) => {
      await writePolicy(group)
      await waitForStatus(gateway.url, await issuer.sign(dana), status)
    },
    [Symbol.asyncDispose]: async () => {
      await gateway.close()
      await verifier.stop()
      await model.close()
      await issuer[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function renderPolicy(issuer: string, group: string): string {
  return JSON.stringify({
    issuers: [{ issuer, audiences: [audience] }],
    rules: [{ name: 'people', issuer, claims: { groups: [group] }, headers: { 'x-user': '{email}' } }],
  })
}

function startDoor(kind: FrontKind, settings: Parameters<typeof startFront>[0] & { readonly directory: string }) {
  return kind === 'nginx' ? startNginx('With auth_request', settings) : startFront(settings)
}

/** Waits until the verifier has read its policy file again, however long it takes. */
async function waitForStatus(url: string, token: string, status: number): Promise<void> {
  for (const end = Date.now() + 10_000; Date.now() < end; await sleep(50)) {
    // No model accepts this body; only whether the request reaches the model matters.
    const answer = await fetch(`${url}${apiPaths.messages}`, {
      method: 'POST',
      body: '{}',
      headers: { authorization: `Bearer ${token}` },
    })
    await answer.text()
    if (answer.status === status) return
  }
  throw new Error(`the gateway of the demo never answered ${status}`)
}

/** A person's sign-in, which prints what the identity provider answers. */
const tokenProgram = `const response = await fetch(process.env.TOKEN_URL, { method: 'POST' })
console.log(await response.text())
`
