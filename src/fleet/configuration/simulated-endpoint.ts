import { type Member, selectDocument } from '../../bootstrap/select-document.ts'
import { computeExpiry } from '../../bootstrap/serve/answer-identity.ts'
import { daySec } from '../fleet-result.ts'
import type { ConfigurationDay } from './configuration-day.ts'
import { type SimulatedReleases, toMember } from './simulated-releases.ts'

/** The answer of the server that a client holds. */
export interface HeldDocument {
  readonly digest: string
  /** The number of the release of the document. */
  readonly release: number
  readonly isWrong: boolean
}

/**
 * The configuration server of a simulated fleet. It uses the functions of the real server to select documents. It serves one person after
 * the other, each from the beginning of the day.
 */
export class SimulatedEndpoint {
  readonly #day: ConfigurationDay
  readonly #releases: SimulatedReleases
  readonly #offsetMs: number
  #member: Member = toMember(0, [])
  #state = 0
  /** The last selection, which is valid for the same state and the same document. */
  #knownState = -1
  #knownHeld: string | undefined
  #known: HeldDocument | undefined
  /** Requests by the second of the counted day. */
  readonly requests = {
    document: new Uint32Array(daySec),
    unchanged: new Uint32Array(daySec),
    unreachable: new Uint32Array(daySec),
  }

  constructor(day: ConfigurationDay, releases: SimulatedReleases, offsetMs: number) {
    this.#day = day
    this.#releases = releases
    this.#offsetMs = offsetMs
  }

  /** Starts with another person, and forgets the one before. */
  serve(member: Member): void {
    this.#member = member
    this.#state = 0
    this.#knownState = -1
  }

  /**
   * Answers one request; `unreachable` in an outage.
   * @param at In milliseconds of the simulation; not before the person's last request.
   * @param held The client's document; a 304 returns the same object.
   */
  ask(at: number, held: HeldDocument | undefined): HeldDocument | 'unreachable' {
    const sec = (at - this.#offsetMs) / 1000
    if (this.#day.outages.some((outage) => sec >= outage.at && sec < outage.at + outage.forSec))
      return this.#count('unreachable', sec, 'unreachable')
    while (this.#state + 1 < this.#releases.states.length && this.#releases.states[this.#state + 1]!.at <= sec)
      this.#state += 1
    const chosen = this.#select(held?.digest)
    return held?.digest === chosen.digest && held.release === chosen.release
      ? this.#count('unchanged', sec, held)
      : this.#count(held?.digest === chosen.digest ? 'unchanged' : 'document', sec, chosen)
  }

  /** Computes when an answer of this time expires, in milliseconds of the simulation. */
  computeExpiryMs(at: number): number {
    const { subject } = this.#member
    return computeExpiry(subject, { expiresSec: this.#day.expiresSec, now: at }) * 1000
  }

  #select(held: string | undefined): HeldDocument {
    if (this.#known && this.#knownState === this.#state && this.#knownHeld === held) return this.#known
    const selection = selectDocument(this.#releases.states[this.#state]!.open, this.#member, held)
    if (selection.outcome === 'nothing') throw new TypeError(`everybody gets a document, and not ${selection.reason}`)
    const { digest } = selection.document
    this.#known = { digest, release: selection.release.manifest.counter, isWrong: this.#releases.wrong.has(digest) }
    this.#knownState = this.#state
    this.#knownHeld = held
    return this.#known
  }

  #count<Answer>(kind: keyof SimulatedEndpoint['requests'], sec: number, answer: Answer): Answer {
    const second = Math.floor(sec)
    if (second >= 0 && second < daySec) this.requests[kind][second]! += 1
    return answer
  }
}
