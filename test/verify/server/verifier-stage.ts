import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import type { RequestLimits } from '../../../src/verify/request-limits.ts'
import type { DecisionAudit } from '../../../src/verify/server/decision-audit.ts'
import { openBoundedLog } from '../../../src/verify/server/log.ts'
import { createMetrics, type VerifierFacts } from '../../../src/verify/server/metrics.ts'
import { type ServerSettings, startVerifierServer } from '../../../src/verify/server/start-verifier-server.ts'
import { createMadeUpVerifier, start } from '../verifier/made-up-checks.ts'

const local = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const

/** Starts a server on free ports whose verifier has made-up checks, with what it logs. */
export async function startVerifierStage(
  given: Partial<ServerSettings> & {
    audit?: DecisionAudit
    traces?: Parameters<typeof startVerifierServer>[0]['traces']
    limits?: RequestLimits
    made?: Parameters<typeof createMadeUpVerifier>[0]
  } = {},
) {
  const { made, audit, limits, traces, ...settings } = given
  const lines: string[] = []
  const facts: VerifierFacts = {
    policy: { loadedAt: start, isFileRefused: false },
    isReplayStoreAway: false,
    issuers: [],
  }
  const world = { facts }
  const { verifier, asked } = createMadeUpVerifier({
    ...made,
    ...(limits && { requestLimits: limits }),
    observe: (observation) => metrics.observe(observation),
  })
  const metrics = createMetrics({ now: () => start + 5_000, state: verifier.state, facts: () => world.facts })
  const log = openBoundedLog({ format: 'json', now: () => start, write: (line) => lines.push(line) })
  const server = await startVerifierServer({
    verifier,
    metrics,
    facts: () => world.facts,
    log,
    audit,
    addressLimits: limits,
    traces,
    settings: {
      listen: local,
      adminListen: local,
      socketMode: 0o660,
      tokenHeaders: ['authorization'],
      requestSource: { from: 'nothing' },
      logAccepted: false,
      auditFailing: 'pass',
      drainSec: 0,
      ...settings,
    },
  })
  onTestFinished(() => server.drain())
  const port = (address = server.listen) => (address.kind === 'tcp' ? address.port : 0)
  return {
    server,
    asked,
    world,
    lines,
    metrics,
    port: port(),
    url: `http://127.0.0.1:${port()}`,
    adminPort: port(server.adminListen),
    grpcPort: port(server.grpcListen),
    admin: `http://127.0.0.1:${port(server.adminListen)}`,
  }
}

/** Sends text or bytes over a connection of its own, and gives what comes back until its end. */
export async function sendRaw(port: number, text: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.on('error', () => {}) // what came before it counts
  socket.write(text)
  await new Promise((resolve) => socket.once('close', resolve))
  return answer
}
