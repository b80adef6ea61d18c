import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { createAdminListener } from '../../verify/server/admin-listener.ts'
import type { Log } from '../../verify/server/log.ts'
import { addAuditMetrics, type Metrics, type VerifierFacts } from '../../verify/server/metrics.ts'
import { type ListenerSettings, type RunningServer, startListeners } from '../../verify/server/start-listeners.ts'
import { describeMissingKeys } from '../../verify/server/start-verifier-server.ts'
import type { AuditSink } from '../../verify/sinks/audit-sinks.ts'
import type { Verifier } from '../../verify/verifier/verifier.ts'
import type { DeviceListener } from '../device/device-listener.ts'
import type { BootstrapAnswer } from './answer-identity.ts'
import type { Audit } from './audit.ts'
import { createBootstrapListener } from './bootstrap-listener.ts'
import type { Delivery } from './prepare-release.ts'
import type { ReleaseFollower } from './release-follower.ts'
import type { ServedSerial } from './served-serial.ts'

/** The served release, and the audit of its answers. */
export interface ServedRelease {
  readonly follower: ReleaseFollower
  readonly served: Pick<ServedSerial, 'isWritten'>
  readonly audit: Audit
  readonly sink: Pick<AuditSink, 'lost' | 'isFailing'>
}

/**
 * Starts the server.
 * @throws {HelperError} `refused` for an address that cannot be used.
 */
export async function startBootstrapServer(
  { verifier, metrics, facts, log }: Verification,
  released: ServedRelease,
  { settings, now, device }: BootstrapServing,
): Promise<RunningServer> {
  const { follower, audit } = released
  const onAnswer = addBootstrapMetrics(metrics.registry, released, now)
  const { path, expiresSec, delivery, tokenHeaders } = settings
  const main = createBootstrapListener({
    verifier,
    release: follower.release,
    path,
    tokenHeaders,
    expiresSec,
    delivery,
    now,
    audit,
    observe: (observation) => metrics.observe(observation),
    onAnswer,
    onDefect(cause) {
      const note = cause instanceof Error ? cause.name : typeof cause
      log.tellBounded({ level: 'error', event: 'defect', message: 'an answer could not be made', facts: { note } })
    },
  })
  return startListeners({
    settings,
    log,
    main: device ? (request, response) => (device.isFor(request) ? device.listener : main)(request, response) : main,
    createAdmin: (isDraining) =>
      createAdminListener({
        metrics,
        readiness: () => ({ isDraining: isDraining(), missing: describeMissing(facts(), follower) }),
      }),
  })
}

/** The settings of a configuration server. */
interface BootstrapSettings extends ListenerSettings {
  readonly path: string
  readonly expiresSec: number
  readonly delivery: Delivery
  /** In lower case. */
  readonly tokenHeaders: readonly string[]
}

/** The verifier of the server, with its metrics and its log. */
interface Verification {
  readonly verifier: Verifier
  readonly metrics: Metrics
  readonly facts: () => VerifierFacts
  readonly log: Log
}

interface BootstrapServing {
  readonly settings: BootstrapSettings
  readonly now: () => number
  /** Answers device sign-ins; absent if they are not offered. */
  readonly device?: DeviceListener | undefined
}

/**
 * Adds the metrics of a configuration server, besides those of its verifier.
 * @returns the function that counts an answer.
 */
function addBootstrapMetrics(
  registry: Registry,
  { follower, served, sink }: ServedRelease,
  now: () => number,
): (answer: BootstrapAnswer, ms: number) => void {
  const registers = [registry]
  const answers = new Counter({
    name: 'gatepass_bootstrap_answers_total',
    help: 'Answers by their status, why there is no document, and the release of the document',
    labelNames: ['status', 'reason', 'release'],
    registers,
  })
  const seconds = new Histogram({
    name: 'gatepass_bootstrap_answer_seconds',
    help: 'How long an answer took, verification included',
    buckets,
    registers,
  })
  const add = (name: string, help: string, measure: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(measure())
      },
    })
  const serial = () => follower.release()?.open.pointer.serial ?? Number.NaN
  add('gatepass_bootstrap_release_serial', 'The serial of the pointer that is served; NaN without a release', serial)
  add('gatepass_bootstrap_release_age_seconds', 'Since what is served was read; NaN without a release', () =>
    computeAge(follower.state().since, now()),
  )
  add('gatepass_bootstrap_release_refused', '1 while what is on the disk cannot be served', () =>
    Number(follower.state().isRefused),
  )
  add('gatepass_bootstrap_state_unwritten', '1 while --state does not hold which release is served', () =>
    Number(!served.isWritten()),
  )
  addAuditMetrics(registry, 'gatepass_bootstrap', sink)
  return ({ status, refusal, selection }, ms) => {
    const release = selection?.outcome === 'document' ? selection.release.manifest.id : ''
    answers.inc({ status: String(status), reason: refusal?.reason ?? '', release })
    seconds.observe(ms / 1000)
  }
}

function describeMissing(facts: VerifierFacts, follower: ReleaseFollower): string[] {
  const missing = follower.release() ? [] : ['there is no release yet that may be served']
  return [...missing, ...describeMissingKeys(facts)]
}

/** Upper bounds in seconds. */
const buckets = [0.000_25, 0.001, 0.005, 0.02, 0.1, 0.5, 2.5, 15]

function computeAge(since: number | undefined, now: number): number {
  return since === undefined ? Number.NaN : (now - since) / 1000
}
