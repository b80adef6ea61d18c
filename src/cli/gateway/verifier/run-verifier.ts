import { createStreamFetch } from '../../../runtime/network/fetch/stream-fetch.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { readSecretFile } from '../../../sources/oauth/exchange/read-client.ts'
import { createIssuerKeys } from '../../../verify/jwt/keys/issuer-keys.ts'
import type { KeyFinder } from '../../../verify/jwt/keys/key-finder.ts'
import {
  type PolicyFollower,
  type PolicyState,
  startFollowingPolicy,
} from '../../../verify/policy/file/policy-follower.ts'
import type { ReplayStore } from '../../../verify/replay/replay-store.ts'
import { renderListenAddress } from '../../../verify/server/listening/listen-address.ts'
import { createLog, type Log } from '../../../verify/server/log.ts'
import { createMetrics } from '../../../verify/server/operator/metrics.ts'
import type { VerifierFacts } from '../../../verify/server/operator/verifier-facts.ts'
import { type ServerSettings, startVerifierServer } from '../../../verify/server/start-verifier-server.ts'
import { createVerifier } from '../../../verify/verifier/create-verifier.ts'
import type { Observation } from '../../../verify/verifier/verifier.ts'
import type { Cli } from '../../cli.ts'
import { readNetwork } from '../../network.ts'
import { describePolicyEvent } from './describe-policy-event.ts'
import { describeStart } from './describe-start.ts'
import type { VerifierFlags } from './flags.ts'
import { openReplayStore } from './open-replay-store.ts'
import { startIssuerWatch } from './start-issuer-watch.ts'

/** How long an issuer or AWS STS may be silent; what fetches has shorter limits of its own. */
const silenceSec = 10

/**
 * Serves until a signal ends it.
 * @throws {HelperError} for a policy, an address or a file that cannot be used.
 */
export async function runVerifier(cli: Cli, flags: VerifierFlags): Promise<void> {
  const { host, terminal } = cli
  const { now } = host.clock
  const format = flags.log ?? (host.streams.attached() === 'terminal' ? 'text' : 'json')
  const log = createLog({ format, now, write: (line) => terminal.tell(line) })
  const network = await readNetwork(host)
  const { introspectionSecretFile: file } = flags
  const secret = file === undefined ? undefined : await readSecretFile(file, '--introspection-secret-file', host)
  const fetch = createStreamFetch({ network, silenceSec })
  const keys = createIssuerKeys({ fetch, now })
  const policy = await startFollowingPolicy(flags.policy, {
    now,
    observe: (event) => log.tell(describePolicyEvent(flags.policy, event)),
  })
  const replay = await openReplayStore(flags, { host, network, log }).catch((thrown: unknown) => {
    policy.close()
    throw thrown
  })
  const issuers = startIssuerWatch({ keys, trusts: () => policy.policy().jwt, log })
  try {
    await serve(cli, { log, policy, keys, fetch, replay, settings: toServerSettings(flags, secret), flags })
  } finally {
    issuers.close()
    policy.close()
    await replay.close()
    log.close()
  }
}

interface ServedParts {
  readonly log: Log
  readonly policy: PolicyFollower
  readonly keys: KeyFinder
  readonly fetch: ReturnType<typeof createStreamFetch>
  readonly replay: ReplayStore
  readonly settings: ServerSettings
  readonly flags: VerifierFlags
}

/** From the first request to the last. */
async function serve({ host, terminal }: Cli, { log, policy, keys, fetch, replay, settings, flags }: ServedParts) {
  const { now } = host.clock
  const { cacheSec, cacheEntries } = flags
  const limits = { cacheSec, cacheEntries }
  const observe = (observation: Observation) => metrics.observe(observation)
  const verifier = createVerifier({ policy: policy.policy, keys, fetch, replay, now, limits, observe })
  const facts = () => ({
    policy: toPolicyFacts(policy.state()),
    isReplayStoreAway: !replay.isAvailable(),
    issuers: keys.states(),
  })
  const metrics = createMetrics({ now, state: verifier.state, facts })
  const server = await startVerifierServer({ verifier, metrics, facts, log, settings })
  const signal = untilSignal()
  process.on('SIGHUP', policy.look)
  const { listen, adminListen } = server
  const admin = adminListen && { admin: renderListenAddress(adminListen) }
  terminal.print(`${JSON.stringify({ listen: renderListenAddress(listen), ...admin })}\n`)
  for (const entry of describeStart(server, flags)) log.tell(entry)
  log.tell({ level: 'info', event: 'ending', message: `${await signal}: requests in flight are answered` })
  await server.drain()
  process.off('SIGHUP', policy.look)
  log.tell({ level: 'info', event: 'ended', message: 'nobody is connected any more' })
}

function toServerSettings(flags: VerifierFlags, introspectionSecret: Secret | undefined): ServerSettings {
  const { listen, adminListen, socketMode, tokenHeader: tokenHeaders, logAccepted = false, drainSec } = flags
  return {
    ...{ listen, socketMode, tokenHeaders, logAccepted, drainSec },
    ...(adminListen && { adminListen }),
    ...(introspectionSecret && { introspectionSecret }),
  }
}

function toPolicyFacts({ since, problem }: PolicyState): VerifierFacts['policy'] {
  return { loadedAt: since, isFileRefused: problem !== undefined }
}

/** A second signal ends the process at once, as if nothing listened for it. */
function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
  })
}
