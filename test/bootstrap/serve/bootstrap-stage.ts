import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { openRelease } from '../../../src/bootstrap/open-release.ts'
import { openAnswerAudit, type SubjectForm } from '../../../src/bootstrap/serve/audit.ts'
import {
  type Delivery,
  type PreparedRelease,
  prepareRelease,
  type ServedForm,
} from '../../../src/bootstrap/serve/prepare-release.ts'
import { type ReleaseEvent, startFollowingRelease } from '../../../src/bootstrap/serve/release-follower.ts'
import { createServedSerial } from '../../../src/bootstrap/serve/served-serial.ts'
import { startBootstrapServer } from '../../../src/bootstrap/serve/start-bootstrap-server.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { createMemoryReplayStore } from '../../../src/verify/replay/memory-replay-store.ts'
import { openBoundedLog } from '../../../src/verify/server/log.ts'
import { createMetrics } from '../../../src/verify/server/metrics.ts'
import { type Identity, TokenRefusal } from '../../../src/verify/verdict.ts'
import { createTokenVerifier } from '../../../src/verify/verifier/create-verifier.ts'
import type { Observation } from '../../../src/verify/verifier/verifier.ts'
import { createPolicy, start } from '../../verify/verifier/made-up-checks.ts'
import { ReleaseFolder } from '../release-folder.ts'

export const issuer = 'https://idp.example.com'

/** Creates a token that the stage's verifier takes for these claims; with `refused` in them it is refused for that. */
export function createToken(claims: object): string {
  return `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`
}

interface StageOptions {
  readonly form?: ServedForm
  readonly delivery?: Delivery
  readonly secrets?: Readonly<Record<string, string>>
  readonly auditSubject?: SubjectForm
  readonly path?: string
  readonly expiresSec?: number
  readonly tokenHeaders?: readonly string[]
}

/** Starts a configuration server on a free port, over a release folder that is empty at first. */
export async function startBootstrapStage(options: StageOptions = {}) {
  const {
    form = 'nested',
    delivery = 'document',
    secrets = {},
    auditSubject = 'digest',
    path = '/bootstrap',
    expiresSec = 3600,
  } = options
  const folder = await ReleaseFolder.create()
  const world = { now: start, secrets }
  const now = () => world.now
  const lines: string[] = []
  const audited: object[] = []
  const events: ReleaseEvent[] = []
  const log = openBoundedLog({ format: 'json', now, write: (line) => lines.push(line) })
  const observe = (observation: Observation) => metrics.observe(observation)
  const policy = createPolicy()
  const verifier = createTokenVerifier(
    { policy: () => policy, replay: createMemoryReplayStore({ now }), now, observe },
    {
      identify: { jwt: identify, opaque: identify, 'aws-identity': identify },
      requireRule: () => ({ rule: { name: 'people', use: 'many times' }, headers: {} }),
    },
  )
  const facts = () => ({
    policy: { loadedAt: start, isFileRefused: false },
    isReplayStoreAway: false,
    issuers: [],
  })
  const metrics = createMetrics({ now, state: verifier.state, facts })
  const read = async (known: PreparedRelease | undefined) => {
    const open = await openRelease(folder.path, folder.keys, known && { known: known.open })
    if (open === known?.open) return known
    const named = Object.entries(world.secrets).map(([name, text]) => [name, new Secret(text)] as const)
    return prepareRelease(open, { form, secrets: new Map(named), delivery })
  }
  const follower = await startFollowingRelease({
    read,
    now,
    observe: (event) => events.push(event),
    intervalMs: 3_600_000,
  })
  const sink = {
    write: (line: string) => audited.push(JSON.parse(line)),
    close: async () => {},
    lost: () => 0,
    isFailing: () => false,
  }
  const local = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const
  const audit = openAnswerAudit(sink, { form: auditSubject, now })
  const released = { follower, sink, audit, served: createServedSerial() }
  const settings = {
    listen: local,
    adminListen: local,
    socketMode: 0o660,
    drainSec: 0,
    path,
    expiresSec,
    delivery,
    tokenHeaders: options.tokenHeaders ?? ['authorization'],
  }
  const server = await startBootstrapServer({ verifier, metrics, facts, log }, released, { settings, now })
  const agent = new Agent({ keepAlive: true })
  onTestFinished(async () => {
    agent.destroy()
    follower.close()
    await server.drain()
  })
  const toPort = (address = server.listen) => (address.kind === 'tcp' ? address.port : 0)
  const port = toPort()
  return {
    folder,
    world,
    lines,
    audited,
    events,
    server,
    follower,
    port,
    admin: `http://127.0.0.1:${toPort(server.adminListen)}`,
    ask: (headers: Record<string, string | string[]>, target = path, method = 'GET') =>
      ask({ port, agent, headers, target, method }),
    /** Publishes a first release for everybody, and has the server look. */
    async publish(release: Parameters<ReleaseFolder['addRelease']>[0], pointer: object = {}) {
      const manifest = await folder.addRelease(release)
      await folder.point({ manifest, ...pointer })
      await follower.look()
      return manifest
    },
  }
}

async function identify(token: string): Promise<Identity> {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  if (claims.refused) throw new TokenRefusal(claims.refused)
  const expiresAt = start + 300_000
  return { kind: 'jwt', issuer, subject: String(claims.sub), claims, issuedAt: start, expiresAt }
}

interface Asked {
  readonly port: number
  readonly agent: Agent
  readonly headers: Record<string, string | string[]>
  readonly target: string
  readonly method: string
}

/** Sends one request, and returns the whole of its answer. */
function ask({ port, agent, headers, target: path, method }: Asked) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
    request({ host: '127.0.0.1', port, agent, path, method, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
      })
      response.once('end', () => {
        const { date: _, connection: __, 'keep-alive': ___, ...rest } = response.headers
        resolve({ status: response.statusCode ?? 0, headers: rest, body })
      })
    })
      .once('error', reject)
      .end()
  })
}

/** Returns the header with which a person of these claims asks. */
export function bearerOf(claims: object): { authorization: string } {
  return { authorization: `Bearer ${createToken(claims)}` }
}
