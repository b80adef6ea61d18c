import { servedDocumentRules } from '../../contract/served-document.ts'
import type { BlockCause, ConfigurationDay, StartCause } from './configuration-day.ts'
import type { DayCounts } from './day-counts.ts'
import type { HeldDocument, SimulatedEndpoint } from './simulated-endpoint.ts'

const never = Number.POSITIVE_INFINITY
const checkEveryMs = servedDocumentRules.checkEverySec * 1000
const idleMs = servedDocumentRules.restartsWhenIdleSec * 1000

/**
 * The client of the present desktop, by the rules of its documentation: it keeps its document only in memory, checks for another one in the
 * background, and uses the document with which it was started. Times are milliseconds of the simulation and never go back.
 */
export class SimulatedClient {
  readonly #endpoint: SimulatedEndpoint
  readonly #counts: DayCounts
  readonly #offsetMs: number
  readonly #turnMs: number
  readonly #restartMs: number
  readonly #enforcementMs: number
  readonly #tryAgainMs: number
  /** The newest answer, and the answer with which the client was started; `undefined` for a client without a document. */
  #held: HeldDocument | undefined
  #running: HeldDocument | undefined
  #expiresAt = never
  #checkAt = never
  /** When the client learned that its document has changed. */
  #changedAt = never
  #usedUntil = 0
  #awakeSince = 0
  /** When the present start or restart ends. */
  #readyAt = 0
  /** The time up to which a person's wait was counted. */
  #waitedUntil = 0
  /** Since when the person has been unable to work, and why. */
  #blockedSince = never
  #blockCause: BlockCause = 'no-document'
  #tryAgainAt = never
  #countedSince = 0

  constructor(
    day: Pick<ConfigurationDay, 'turnSec' | 'restartSec' | 'enforcementSec' | 'tryAgainSec'>,
    { endpoint, counts, offsetMs }: ClientParts,
  ) {
    this.#endpoint = endpoint
    this.#counts = counts
    this.#offsetMs = offsetMs
    this.#turnMs = day.turnSec * 1000
    this.#restartMs = day.restartSec * 1000
    this.#enforcementMs = day.enforcementSec * 1000
    this.#tryAgainMs = day.tryAgainSec * 1000
  }

  /** Opens the client, as the person begins the day. */
  open(at: number): void {
    this.#usedUntil = at
    this.#awakeSince = at
    this.#waitedUntil = at
    this.#readyAt = at
    this.#countedSince = at
    this.#start(at, 'morning')
  }

  /** Closes the laptop, over lunch or for the day. */
  close(at: number): void {
    this.#playUntil(at)
    this.#endBlock(at)
    this.#noteClient(at)
  }

  /** Continues the client, as the laptop opens again. A check that is due, and an enforced restart, happen at once. */
  wake(at: number): void {
    this.#usedUntil = at
    this.#awakeSince = at
    this.#checkAt = Math.max(this.#checkAt, at)
    this.#countedSince = at
    this.#playUntil(at)
  }

  /** Sends a turn of the person, unless the client does not work. */
  use(at: number): void {
    this.#playUntil(at)
    if (this.#blockedSince !== never) {
      this.#counts.noteTurn(at - this.#offsetMs, 'lost')
      return
    }
    if (at >= this.#deadline() && at >= this.#readyAt) this.#restartNow(at)
    else this.#waitForStart('own-restart', at)
    const startsAt = Math.max(at, this.#readyAt)
    if (this.#isWorking()) {
      this.#counts.noteTurn(at - this.#offsetMs, 'sent')
      this.#usedUntil = Math.max(this.#usedUntil, startsAt + this.#turnMs)
    } else {
      this.#counts.noteTurn(at - this.#offsetMs, 'lost')
      this.#blockedSince = startsAt
      this.#blockCause = this.#detectProblem()
      this.#tryAgainAt = startsAt
      this.#playUntil(at)
    }
  }

  /** Simulates the client's own actions, and those of a person whose client does not work. */
  #playUntil(until: number): void {
    for (;;) {
      const deadline = Math.max(this.#awakeSince, this.#deadline())
      const enforcedAt = this.#usedUntil >= deadline ? deadline : never
      const restartAt = Math.max(this.#changedAt, this.#usedUntil + idleMs)
      const at = Math.min(this.#checkAt, this.#tryAgainAt, enforcedAt, restartAt)
      if (at > until) return
      if (at === this.#tryAgainAt) this.#start(at, 'not-working')
      else if (at === enforcedAt) this.#restartNow(at)
      else if (at === restartAt) this.#start(at, 'own-restart')
      else this.#check(at)
    }
  }

  /** Lets the person restart a client that only waits for a restart; a turn in progress is aborted. */
  #restartNow(at: number): void {
    this.#usedUntil = at
    this.#start(at, 'enforced-restart')
    this.#waitForStart('enforced-restart', at)
  }

  /** Counts a person who waits for the end of a start, once for each start. */
  #waitForStart(cause: BlockCause, at: number): void {
    this.#noteBlocked(cause, Math.max(at, this.#waitedUntil), this.#readyAt)
    this.#waitedUntil = Math.max(this.#waitedUntil, this.#readyAt)
  }

  /** Starts the client, which has no document then. */
  #start(at: number, cause: StartCause): void {
    this.#noteClient(at)
    this.#counts.noteStart(cause, at - this.#offsetMs)
    this.#readyAt = cause === 'morning' ? at : at + this.#restartMs
    this.#held = undefined
    this.#ask(at)
    this.#running = this.#held
    this.#changedAt = never
    this.#tryAgainAt = never
    if (this.#blockedSince === never) return
    if (this.#isWorking()) this.#endBlock(this.#readyAt)
    else this.#continueBlocked(at)
  }

  /** Continues after a start that did not help: the cause may have changed. */
  #continueBlocked(at: number): void {
    this.#tryAgainAt = at + this.#tryAgainMs
    if (this.#detectProblem() === this.#blockCause) return
    this.#noteBlocked(this.#blockCause, this.#blockedSince, at)
    this.#blockedSince = at
    this.#blockCause = this.#detectProblem()
  }

  /** Checks in the background. A changed answer waits for a restart, and the running document stays in use. */
  #check(at: number): void {
    this.#ask(at)
    const { digest } = this.#held ?? {}
    if (digest !== this.#running?.digest) {
      if (this.#changedAt === never) this.#changedAt = at
      // A person who cannot work accepts the client's proposal to restart at once.
      if (this.#blockedSince !== never) this.#start(at, 'not-working')
      return
    }
    this.#changedAt = never
    if (this.#held === this.#running) return
    this.#noteClient(at)
    this.#running = this.#held // the same document, in a later release
  }

  #ask(at: number): void {
    const answer = this.#endpoint.ask(at, this.#held)
    if (answer !== 'unreachable') {
      // A 304 has no body, so the expiry does not change.
      if (answer.digest !== this.#held?.digest) this.#expiresAt = this.#endpoint.computeExpiryMs(at)
      this.#held = answer
    }
    const expiresAt = this.#held && this.#expiresAt > at ? this.#expiresAt : never
    this.#checkAt = Math.min(at + checkEveryMs, expiresAt)
  }

  #isWorking(): boolean {
    return this.#running !== undefined && !this.#running.isWrong
  }

  #detectProblem(): BlockCause {
    return this.#running === undefined ? 'no-document' : 'wrong-document'
  }

  #deadline(): number {
    return this.#changedAt + this.#enforcementMs
  }

  #endBlock(at: number): void {
    if (this.#blockedSince === never) return
    this.#noteBlocked(this.#blockCause, this.#blockedSince, at)
    this.#waitedUntil = Math.max(this.#waitedUntil, at)
    this.#blockedSince = never
    this.#tryAgainAt = never
  }

  #noteBlocked(cause: BlockCause, from: number, to: number): void {
    this.#counts.noteBlocked(cause, from - this.#offsetMs, to - this.#offsetMs)
  }

  #noteClient(at: number): void {
    const release = this.#running?.release ?? 0
    this.#counts.noteClient(release, this.#countedSince - this.#offsetMs, at - this.#offsetMs)
    this.#countedSince = at
  }
}

/** The server of a client, and the counts of its day. */
interface ClientParts {
  readonly endpoint: SimulatedEndpoint
  readonly counts: DayCounts
  /** When the counted day begins. */
  readonly offsetMs: number
}
