// Follows the document of a configuration server, a new one of which takes effect with a restart.

import { isDeepStrictEqual } from 'node:util'
import { compareDocuments } from '../../config/compare-documents.ts'
import type { ConfigDocument } from '../../config/document.ts'
import type { UnknownKeys } from '../../config/read/parse-fields.ts'
import { servedDocumentRules } from '../../contract/served-document.ts'
import type { EmitEvent } from '../client-event.ts'
import { AgreedDocument, type Person } from './agreed-document.ts'
import type { DocumentAnswer, NoDocument, ServerAnswer } from './ask-server.ts'
import type { ClientDocument, TurnObstacle } from './followed-document.ts'
import type { DocumentServer } from './served-source.ts'

/**
 * The document of a configuration server. The answer in use is only in memory, and never changes while the client runs: a different answer
 * requires a restart, which is enforced after a while.
 */
export class BootstrappedDocument implements ClientDocument {
  readonly #settings: BootstrappedDocumentSettings
  readonly #emit: EmitEvent
  readonly #agreed: AgreedDocument
  /** The answer in use; `undefined` if the client started without one. */
  #inUse: DocumentAnswer | undefined
  #refusal: NoDocument | undefined
  #restart: PendingRestart | undefined
  #pollAt: number
  #lastTurnAt = Number.NEGATIVE_INFINITY
  #isStarted = false

  constructor(settings: BootstrappedDocumentSettings, emit: EmitEvent) {
    this.#settings = settings
    this.#emit = emit
    this.#agreed = new AgreedDocument(settings.document, settings.person, emit)
    this.#pollAt = settings.now()
  }

  get applied(): ConfigDocument {
    return this.#inUse ? this.#agreed.applied : {}
  }

  get pendingConsent(): readonly string[] {
    return this.#inUse ? this.#agreed.pendingConsent : []
  }

  get dueAt(): number {
    return Math.min(this.#pollAt, this.#restartDueAt())
  }

  async wake(): Promise<'go on' | 'restart'> {
    const now = this.#settings.now()
    if (now >= this.#pollAt) await (this.#isStarted ? this.#poll() : this.start())
    if (!this.#restart) return 'go on'
    if (now >= this.#idleAt(this.#restart)) return 'restart'
    if (this.#restart.isEnforced || now < toEnforcedAt(this.#restart)) return 'go on'
    this.#restart = { ...this.#restart, isEnforced: true }
    this.#emit({ type: 'restart-enforced' })
    return 'go on'
  }

  async askPerson(): Promise<'go on' | 'restart'> {
    await this.#agreed.askPerson()
    if (!this.#restart || this.#restart.isDeclined) return 'go on'
    const answer = (await this.#settings.person?.restart?.()) ?? 'later'
    if (answer === 'decline') this.#restart = { ...this.#restart, isDeclined: true }
    return answer === 'agree' ? 'restart' : 'go on'
  }

  async start(): Promise<void> {
    this.#isStarted = true
    this.#restart = undefined
    this.#inUse = undefined
    this.#refusal = undefined
    this.#settings.server.forget()
    const { answer } = await this.#settings.server.ask('launch')
    this.#pollAt = this.#nextPollAt(answer)
    if (answer.outcome === 'document') {
      this.#emit({ type: 'document-served', cause: 'launch', status: answer.status, change: 'in use from now on' })
      await this.#use(answer)
    } else if (answer.outcome !== 'unchanged') {
      this.#refusal = answer
      this.#emit({ type: 'document-refused', ...toFacts(answer), after: 'start without a provider' })
    }
  }

  findObstacle(): TurnObstacle | undefined {
    if (this.#restart?.isEnforced)
      return {
        failure: 'restart-required',
        message: 'the client waits for its restart, because the document has changed',
      }
    if (this.#inUse) return undefined
    return {
      failure: 'no-document',
      message: `the client has no document: ${this.#refusal?.message ?? 'it has not started'}`,
    }
  }

  noteTurn(): void {
    this.#lastTurnAt = this.#settings.now()
  }

  async #use(answer: DocumentAnswer): Promise<void> {
    this.#inUse = answer
    if (this.#settings.server.isDeliveryTrusted) this.#agreed.agree(answer.document)
    await this.#agreed.applyNewer(answer.document)
  }

  /** Sends a request in the background, which changes nothing in use. */
  async #poll(): Promise<void> {
    const { answer } = await this.#settings.server.ask('background')
    this.#pollAt = this.#nextPollAt(answer)
    if (answer.outcome === 'unchanged')
      return this.#emit({ type: 'document-served', cause: 'background', status: 304, change: 'none' })
    if (answer.outcome !== 'document') {
      const after = this.#inUse ? 'go on with the document in use' : 'go on without a provider'
      return this.#emit({ type: 'document-refused', ...toFacts(answer), after })
    }
    if (isSame(this.#inUse, answer)) return this.#withdraw(answer)
    const isKnown = this.#restart !== undefined && isSame(this.#restart.newest, answer)
    const { since = this.#settings.now(), isEnforced = false } = this.#restart ?? {}
    this.#restart = { since, isEnforced, newest: answer, isDeclined: isKnown && this.#restart?.isDeclined === true }
    this.#emit({
      type: 'document-served',
      cause: 'background',
      status: 200,
      change: isKnown ? 'none' : 'after a restart',
    })
    if (isKnown) return
    const changes = listChanges(this.#inUse, answer)
    this.#emit({ type: 'restart-asked', changes, enforcedAt: toEnforcedAt(this.#restart) })
  }

  /** The server gives the answer in use again, so that no restart is needed. */
  #withdraw(answer: DocumentAnswer): void {
    this.#emit({ type: 'document-served', cause: 'background', status: answer.status, change: 'none' })
    if (this.#restart) this.#emit({ type: 'restart-withdrawn' })
    this.#restart = undefined
  }

  /** Computes when the client blocks, or restarts by itself because it has been idle for long enough. */
  #restartDueAt(): number {
    if (!this.#restart) return Number.POSITIVE_INFINITY
    const idleAt = this.#idleAt(this.#restart)
    return this.#restart.isEnforced ? idleAt : Math.min(idleAt, toEnforcedAt(this.#restart))
  }

  #idleAt({ since }: PendingRestart): number {
    return Math.max(since, this.#lastTurnAt + servedDocumentRules.restartsWhenIdleSec * 1000)
  }

  #nextPollAt(answer: ServerAnswer): number {
    const now = this.#settings.now()
    const expiresAt = answer.outcome === 'document' ? (answer.document.expiresAt ?? 0) : 0
    return expiresAt > now ? Math.min(expiresAt, now + pollIntervalMs) : now + pollIntervalMs
  }
}

interface BootstrappedDocumentSettings {
  readonly server: DocumentServer
  /** A document to which a person has consented before. */
  readonly document: ConfigDocument
  readonly person?: Person
  readonly now: () => number
}

/** A restart that the person was asked for. Times are in epoch milliseconds. */
interface PendingRestart {
  /** When the first different answer arrived. */
  readonly since: number
  readonly newest: DocumentAnswer
  readonly isEnforced: boolean
  readonly isDeclined: boolean
}

const pollIntervalMs = servedDocumentRules.checkEverySec * 1000

/**
 * Computes when the restart is enforced. The time begins with the first different answer, so that further changes do not postpone the
 * restart; our reading.
 */
function toEnforcedAt({ since, newest }: PendingRestart): number {
  return since + newest.enforcementHours * 3_600_000
}

function toFacts({ reason, status, message }: NoDocument) {
  return { reason, message, status }
}

/**
 * Returns whether two answers are equal for a client. The documentation does not define the comparison, so the strict reading is used:
 * another entity tag or another body, apart from `expiresAt`, is a different answer, even with equal values.
 */
function isSame(first: DocumentAnswer | undefined, second: DocumentAnswer): boolean {
  return first !== undefined && first.digest === second.digest && first.etag === second.etag
}

/** Lists the paths of differing values, including those of other clusters; empty if both answers have equal values. */
function listChanges(before: DocumentAnswer | undefined, after: DocumentAnswer): string[] {
  const known = compareDocuments(before?.document ?? {}, after.document).map(({ field }) => field.path)
  const [old, next] = [toMap(before?.result.unknownKeys ?? []), toMap(after.result.unknownKeys)]
  const others = [...new Set([...old.keys(), ...next.keys()])].filter(
    (path) => !isDeepStrictEqual(old.get(path), next.get(path)),
  )
  return [...known.filter((path) => path !== 'expiresAt'), ...others]
}

function toMap(unknownKeys: readonly UnknownKeys[]): ReadonlyMap<string, unknown> {
  return new Map(unknownKeys.map(({ keys, value }) => [keys.join('.'), value]))
}
