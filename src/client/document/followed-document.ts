import { isDeepStrictEqual } from 'node:util'
import { diffDocuments } from '../../config/diff-documents.ts'
import type { ConfigDocument } from '../../config/document.ts'
import type { Tell } from '../timeline/client-event.ts'
import { findHeldBack, type Person, withholdValues } from './consent.ts'

/** When the client reads the document again that does not say when. Client documentation. */
export const refreshIntervalSec = 3600

export interface DocumentSettings {
  /** What the client begins with; a person has agreed to it. */
  readonly document: ConfigDocument
  /** Fetches or reads it again; `undefined` when that failed. Without this the first document stays for good. */
  readonly readDocument?: () => Promise<ConfigDocument | undefined>
  /** Nobody, unless given: what needs consent is then held back. */
  readonly person?: Person
  /** The client's time in epoch milliseconds. */
  readonly now: () => number
}

/** The document as it is applied, read again when it is due. */
export class FollowedDocument {
  readonly #settings: DocumentSettings
  readonly #tell: Tell
  #agreed: ConfigDocument
  #newest: ConfigDocument
  #applied: ConfigDocument
  #dueAt: number
  /** The held-back paths to which the person has said no. */
  #declined: readonly string[] = []

  constructor(settings: DocumentSettings, tell: Tell) {
    this.#settings = settings
    this.#tell = tell
    this.#agreed = this.#newest = this.#applied = settings.document
    this.#dueAt = this.#nextReading()
  }

  get applied(): ConfigDocument {
    return this.#applied
  }

  /** When it will be read again, in epoch milliseconds. */
  get dueAt(): number {
    return this.#dueAt
  }

  /** Nested paths of what is held back now. */
  get heldBack(): readonly string[] {
    return findHeldBack(this.#agreed, this.#newest).map(({ field }) => field.path)
  }

  /** Reads it again. One that cannot be read changes nothing, and is tried again after the usual interval. */
  async read(): Promise<void> {
    const next = await this.#settings.readDocument?.()
    if (next === undefined) this.#tell({ type: 'document-unreadable' })
    const before = this.heldBack
    this.#newest = next ?? this.#newest
    this.#dueAt = this.#nextReading()
    this.#apply()
    if (this.heldBack.length > 0 && !isDeepStrictEqual(before, this.heldBack)) {
      this.#declined = []
      this.#tell({ type: 'consent-asked', fields: this.heldBack })
      await this.askPerson()
    }
  }

  /** Asks for what is still held back and was not declined; a person who has come back finds the question open. */
  async askPerson(): Promise<void> {
    const fields = this.heldBack
    if (fields.length === 0 || isDeepStrictEqual(fields, this.#declined)) return
    const answer = (await this.#settings.person?.answer(fields)) ?? 'later'
    if (answer === 'later') return
    this.#tell({ type: 'consent-answered', answer, fields })
    if (answer === 'decline') this.#declined = fields
    else this.#agreed = this.#newest
    this.#apply()
  }

  #apply(): void {
    const held = findHeldBack(this.#agreed, this.#newest)
    if (held.length === 0) this.#agreed = this.#newest
    const next = withholdValues(this.#newest, held)
    // When it is read next concerns nobody but this class.
    const changes = diffDocuments(this.#applied, next)
      .map(({ field }) => field.path)
      .filter((path) => path !== 'expiresAt')
    this.#applied = next
    if (changes.length > 0) this.#tell({ type: 'document-read', changes })
  }

  #nextReading(): number {
    const { now, readDocument } = this.#settings
    if (!readDocument) return Number.POSITIVE_INFINITY
    const { expiresAt = 0 } = this.#newest
    // An end that has already passed is no reason to ask without pause.
    return expiresAt > now() ? expiresAt : now() + refreshIntervalSec * 1000
  }
}
