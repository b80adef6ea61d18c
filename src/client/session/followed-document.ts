// Follows a document that is read again while the client runs; `bootstrapped-document.ts` follows that of a server.

import type { ConfigDocument } from '../../config/document.ts'
import type { EmitEvent } from '../client-event.ts'
import { AgreedDocument, type Person } from './agreed-document.ts'
import type { DocumentServer } from './served-source.ts'

/** The source of a document, and the person who consents to changes. */
export interface DocumentSettings {
  /** The first document, to which a person has consented. */
  readonly document: ConfigDocument
  /** Fetches or reads it again; `undefined` after a failure. If absent, the first document is never replaced. */
  readonly readDocument?: () => Promise<ConfigDocument | undefined>
  /** The configuration server. With it, nothing is applied before its first answer, and `readDocument` is not called. */
  readonly server?: DocumentServer
  /** If absent, values that need consent stay pending, and the client is never restarted. */
  readonly person?: Person
  /** The client's time in epoch milliseconds. */
  readonly now: () => number
}

/** The document that a client applies, whatever its source. */
export interface ClientDocument {
  readonly applied: ConfigDocument
  /** Nested paths of the values that wait for consent. */
  readonly pendingConsent: readonly string[]
  /** When an action is due, in epoch milliseconds. */
  readonly dueAt: number
  /** Does the due actions. `restart`: the client must restart now. */
  wake(): Promise<'go on' | 'restart'>
  /** Asks the person who is present every open question. */
  askPerson(): Promise<'go on' | 'restart'>
  /** Called after a restart of the client, with an empty memory. */
  start(): Promise<void>
  /** Why no turn is sent, independent of the document's content. */
  findObstacle(): TurnObstacle | undefined
  /** Called when a turn is sent, so that the client is not idle. */
  noteTurn(): void
}

/** Why a running client sends no turn: it waits for a restart, or has no document. */
export interface TurnObstacle {
  readonly failure: 'restart-required' | 'no-document'
  readonly message: string
}

/** A document that is read again when it is due. */
export class FollowedDocument implements ClientDocument {
  readonly #settings: DocumentSettings
  readonly #emit: EmitEvent
  readonly #agreed: AgreedDocument
  #newest: ConfigDocument
  #dueAt: number

  constructor(settings: DocumentSettings, emit: EmitEvent) {
    this.#settings = settings
    this.#emit = emit
    this.#agreed = new AgreedDocument(settings.document, settings.person, emit)
    this.#newest = settings.document
    this.#dueAt = this.#nextReadAt()
  }

  get applied(): ConfigDocument {
    return this.#agreed.applied
  }

  get dueAt(): number {
    return this.#dueAt
  }

  get pendingConsent(): readonly string[] {
    return this.#agreed.pendingConsent
  }

  async wake(): Promise<'go on'> {
    if (this.#settings.now() >= this.#dueAt) await this.#read()
    return 'go on'
  }

  async askPerson(): Promise<'go on'> {
    await this.#agreed.askPerson()
    return 'go on'
  }

  async start(): Promise<void> {
    if (this.#settings.readDocument) await this.#read()
  }

  findObstacle(): undefined {}

  noteTurn(): void {}

  /** Reads it again. If reading fails, nothing changes, and it is read again after the usual interval. */
  async #read(): Promise<void> {
    const next = await this.#settings.readDocument?.()
    if (next === undefined) this.#emit({ type: 'document-unreadable' })
    this.#newest = next ?? this.#newest
    this.#dueAt = this.#nextReadAt()
    await this.#agreed.applyNewer(this.#newest)
  }

  #nextReadAt(): number {
    const { now, readDocument } = this.#settings
    if (!readDocument) return Number.POSITIVE_INFINITY
    const { expiresAt = 0 } = this.#newest
    // An expiresAt in the past would otherwise cause reads without pause.
    return expiresAt > now() ? expiresAt : now() + refreshIntervalSec * 1000
  }
}

/** How soon the client reads a document without `expiresAt` again (documentation of the client). */
const refreshIntervalSec = 3600
