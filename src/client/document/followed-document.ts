import { isDeepStrictEqual } from 'node:util'
import { compareDocuments } from '../../config/compare-documents.ts'
import type { ConfigDocument } from '../../config/document.ts'
import type { EmitEvent } from '../timeline/client-event.ts'
import { findPendingConsent, omitPendingValues, type Person } from './consent.ts'

/** When the client reads a document without `expiresAt` again. Client documentation. */
const refreshIntervalSec = 3600

/** Where a document comes from, and who agrees to changes. */
export interface DocumentSettings {
  /** The first document; a person has agreed to it. */
  readonly document: ConfigDocument
  /** Fetches or reads it again; `undefined` when that failed. If absent, the first document is never replaced. */
  readonly readDocument?: () => Promise<ConfigDocument | undefined>
  /** If absent, values that need consent stay pending. */
  readonly person?: Person
  /** The client's time in epoch milliseconds. */
  readonly now: () => number
}

/** The document as the client applies it; it is read again when it is due. */
export class FollowedDocument {
  readonly #settings: DocumentSettings
  readonly #emit: EmitEvent
  #agreed: ConfigDocument
  #newest: ConfigDocument
  #applied: ConfigDocument
  #dueAt: number
  /** The pending paths that the person has declined. */
  #declined: readonly string[] = []

  constructor(settings: DocumentSettings, emit: EmitEvent) {
    this.#settings = settings
    this.#emit = emit
    this.#agreed = this.#newest = this.#applied = settings.document
    this.#dueAt = this.#nextReadAt()
  }

  get applied(): ConfigDocument {
    return this.#applied
  }

  /** When it will be read again, in epoch milliseconds. */
  get dueAt(): number {
    return this.#dueAt
  }

  /** Nested paths of the values that wait for consent. */
  get pendingConsent(): readonly string[] {
    return findPendingConsent(this.#agreed, this.#newest).map(({ field }) => field.path)
  }

  /** Reads it again. If it cannot be read, nothing changes and it is read after the usual interval. */
  async read(): Promise<void> {
    const next = await this.#settings.readDocument?.()
    if (next === undefined) this.#emit({ type: 'document-unreadable' })
    const before = this.pendingConsent
    this.#newest = next ?? this.#newest
    this.#dueAt = this.#nextReadAt()
    this.#apply()
    if (this.pendingConsent.length > 0 && !isDeepStrictEqual(before, this.pendingConsent)) {
      this.#declined = []
      this.#emit({ type: 'consent-asked', fields: this.pendingConsent })
      await this.askPerson()
    }
  }

  /** Asks for values that are still pending and were not declined, so that a person who returns is asked again. */
  async askPerson(): Promise<void> {
    const fields = this.pendingConsent
    if (fields.length === 0 || isDeepStrictEqual(fields, this.#declined)) return
    const answer = (await this.#settings.person?.answer(fields)) ?? 'later'
    if (answer === 'later') return
    this.#emit({ type: 'consent-answered', answer, fields })
    if (answer === 'decline') this.#declined = fields
    else this.#agreed = this.#newest
    this.#apply()
  }

  #apply(): void {
    const pending = findPendingConsent(this.#agreed, this.#newest)
    if (pending.length === 0) this.#agreed = this.#newest
    const next = omitPendingValues(this.#newest, pending)
    // A new expiresAt changes only when this class reads the document again.
    const changes = compareDocuments(this.#applied, next)
      .map(({ field }) => field.path)
      .filter((path) => path !== 'expiresAt')
    this.#applied = next
    if (changes.length > 0) this.#emit({ type: 'document-read', changes })
  }

  #nextReadAt(): number {
    const { now, readDocument } = this.#settings
    if (!readDocument) return Number.POSITIVE_INFINITY
    const { expiresAt = 0 } = this.#newest
    // With an expiresAt in the past the document would otherwise be read without pause.
    return expiresAt > now() ? expiresAt : now() + refreshIntervalSec * 1000
  }
}
