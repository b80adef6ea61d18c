import { isDeepStrictEqual } from 'node:util'
import { compareDocuments, type Difference } from '../../config/compare-documents.ts'
import type { ConfigDocument } from '../../config/document.ts'
import { toParentPath } from '../../config/field.ts'
import type { EmitEvent } from '../client-event.ts'

/** A person's answer to the question whether new values may take effect. `later`: nobody is there to answer. */
export type ConsentAnswer = 'agree' | 'decline' | 'later'

/** The person at the client. `fields` are nested paths. */
export interface Person {
  answer(fields: readonly string[]): ConsentAnswer | Promise<ConsentAnswer>
}

/** The source of a document, and the person who agrees to changes. */
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

/** Changes that take effect only when a person agrees, between the document that was agreed to and a newer one. */
function findPendingConsent(agreed: ConfigDocument, next: ConfigDocument): Difference[] {
  return compareDocuments(agreed, next).filter(({ consent }) => consent === 'asked')
}

/**
 * The document as it is applied until the person agrees. Values are not inherited from an earlier document, so a pending
 * value is unset. If it has no default and belongs to the credential, the whole credential is unset: a helper without its
 * new arguments or profile could print a token for another identity. Our decision.
 */
function omitPendingValues(document: ConfigDocument, pending: readonly Difference[]): ConfigDocument {
  return pending.reduce((rest, { field }) => {
    const isPart = field.default === undefined && toParentPath(field) !== 'inference'
    return removePath(rest, isPart ? ['inference', 'credential'] : field.path.split('.'))
  }, document)
}

function removePath<T extends object>(node: T, [key = '', ...rest]: readonly string[]): T {
  const child = (node as Record<string, unknown>)[key]
  if (child === undefined) return node
  if (rest.length > 0) return { ...node, [key]: removePath(child as object, rest) }
  const { [key as keyof T]: _, ...others } = node
  return others as T
}

/** How soon the client reads a document without `expiresAt` again, by the client's documentation. */
const refreshIntervalSec = 3600
