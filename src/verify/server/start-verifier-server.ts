import type { RequestListener } from 'node:http'
import type { Secret } from '../../runtime/secret.ts'
import type { Observation, Verifier } from '../verifier/verifier.ts'
import { describeAnswer } from './describe-answer.ts'
import { type AnsweredRequest, createVerifierListener } from './gateway/verifier-listener.ts'
import { endServer } from './listening/end-server.ts'
import { createBoundedServer } from './listening/http-server.ts'
import { isLocalAddress, type ListenAddress } from './listening/listen-address.ts'
import { startListening } from './listening/start-listening.ts'
import type { Log } from './log.ts'
import { createAdminListener } from './operator/admin-listener.ts'
import { createIntrospect } from './operator/introspect.ts'
import type { Metrics } from './operator/metrics.ts'
import type { VerifierFacts } from './operator/verifier-facts.ts'

/** How a verifier is served. */
export interface ServerSettings {
  readonly listen: ListenAddress
  /** Where the operator's own listener is: health, readiness, metrics, introspection; nowhere if absent. */
  readonly adminListen?: ListenAddress
  readonly socketMode: number
  /** In lower case. */
  readonly tokenHeaders: readonly string[]
  readonly introspectionSecret?: Secret
  /** Whether accepted requests are logged, with who sent them. */
  readonly logAccepted: boolean
  /** How long requests in flight may take when the verifier ends. */
  readonly drainSec: number
}

interface ServerParts {
  readonly verifier: Verifier
  readonly metrics: Metrics
  readonly facts: () => VerifierFacts
  readonly log: Log
  readonly settings: ServerSettings
}

/** A verifier that gateways can ask. */
export interface VerifierServer {
  readonly listen: ListenAddress
  readonly adminListen: ListenAddress | undefined
  /** Is not ready any more, answers what arrives on open connections, ends them, and resolves when all have ended. */
  drain(): Promise<void>
}

/**
 * Starts to serve.
 * @throws {HelperError} `refused` for an address that cannot be used.
 */
export async function startVerifierServer({
  verifier,
  metrics,
  facts,
  log,
  settings,
}: ServerParts): Promise<VerifierServer> {
  let isDraining = false
  const onAnswer = (answered: AnsweredRequest) => {
    if (answered.verdict.outcome === 'refused' || settings.logAccepted) log.tellBounded(describeAnswer(answered))
  }
  const observe = (observation: Observation) => metrics.observe(observation)
  const { tokenHeaders, socketMode, introspectionSecret: secret } = settings
  const endConnection =
    (next: RequestListener): RequestListener =>
    (request, response) => {
      if (isDraining) response.setHeader('connection', 'close')
      next(request, response)
    }
  const start = async (listener: RequestListener, address: ListenAddress, option: string) => {
    const server = createBoundedServer(endConnection(listener))
    const listen = await startListening(server, { address, socketMode, option })
    server.on('error', (error: NodeJS.ErrnoException) =>
      log.tellBounded({
        level: 'error',
        event: 'listener',
        message: `a connection cannot be accepted (${error.code})`,
      }),
    )
    return { server, listen }
  }
  const readiness = () => ({ isDraining, missingIssuers: listMissing(facts()) })
  const main = await start(
    createVerifierListener({ verifier, tokenHeaders, observe, onAnswer }),
    settings.listen,
    '--listen',
  )
  const { adminListen: address } = settings
  const local = address && isLocalAddress(address) ? 'everybody' : 'nobody'
  const introspect = createIntrospect({ verifier, access: secret ? { secret } : local, onAnswer })
  const startAdmin = (own: ListenAddress) =>
    start(createAdminListener({ metrics, readiness, introspect }), own, '--admin-listen').catch(async (failure) => {
      await endServer(main.server, 0) // one that listens would keep a process alive that has failed
      throw failure
    })
  const admin = address && (await startAdmin(address))
  return {
    listen: main.listen,
    adminListen: admin?.listen,
    async drain() {
      isDraining = true
      await endServer(main.server, settings.drainSec)
      if (admin) await endServer(admin.server, 0) // last, so that it says until then that the verifier is not ready
    },
  }
}

function listMissing({ issuers }: VerifierFacts): string[] {
  return issuers.filter(({ standing }) => standing === 'none').map(({ issuer }) => issuer)
}
