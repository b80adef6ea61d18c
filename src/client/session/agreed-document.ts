// Holds back the values of a changed document to which the person has not agreed yet.

import { isDeepStrictEqual } from 'node:util'
import { compareDocuments, type Difference } from '../../config/compare-documents.ts'
import type { ConfigDocument } from '../../config/document.ts'
import { toParentPath } from '../../config/field.ts'
import type { EmitEvent } from '../client-event.ts'

/** A person's answer whether new values may take effect. `later`: no person is present. */
export type ConsentAnswer = 'agree' | 'decline' | 'later'

/** The person at the client. `fields` are nested paths. */
export interface Person {
  answer(fields: readonly string[]): ConsentAnswer | Promise<ConsentAnswer>
  /** Whether the client may restart now, so that a changed document applies. If absent, the person continues without a restart. */
  restart?(): ConsentAnswer | Promise<ConsentAnswer>
}

/** A document without the values that still need a person's consent. */
export class AgreedDocument {
  readonly #person: Person | undefined
  readonly #emit: EmitEvent
  #agreed: ConfigDocument
  #newest: ConfigDocument
  #applied: ConfigDocument
  /** The pending paths that the person has declined. */
  #declined: readonly string[] = []

  /** @param agreed A document to whose values a person has consented. */
  constructor(agreed: ConfigDocument, person: Person | undefined, emit: EmitEvent) {
    this.#agreed = this.#newest = this.#applied = agreed
    this.#person = person
    this.#emit = emit
  }

  get applied(): ConfigDocument {
    return this.#applied
  }

  /** Lists the nested paths of the values that wait for consent. */
  get pendingConsent(): readonly string[] {
    return listPendingConsent(this.#agreed, this.#newest).map(({ field }) => field.path)
  }

  /** Accepts a document without consent. */
  agree(document: ConfigDocument): void {
    this.#agreed = document
  }

  /** Applies a newer document, and asks for consent to its values if they need it. */
  async applyNewer(next: ConfigDocument): Promise<void> {
    const before = this.pendingConsent
    this.#newest = next
    this.#apply()
    if (this.pendingConsent.length > 0 && !isDeepStrictEqual(before, this.pendingConsent)) {
      this.#declined = []
      this.#emit({ type: 'consent-asked', fields: this.pendingConsent })
      await this.askPerson()
    }
  }

  /** Asks for consent to values that are pending and were not declined, so that a person who returns is asked again. */
  async askPerson(): Promise<void> {
    const fields = this.pendingConsent
    if (fields.length === 0 || isDeepStrictEqual(fields, this.#declined)) return
    const answer = (await this.#person?.answer(fields)) ?? 'later'
    if (answer === 'later') return
    this.#emit({ type: 'consent-answered', answer, fields })
    if (answer === 'decline') this.#declined = fields
    else this.#agreed = this.#newest
    this.#apply()
  }

  #apply(): void {
    const pending = listPendingConsent(this.#agreed, this.#newest)
    if (pending.length === 0) this.#agreed = this.#newest
    const next = omitPendingValues(this.#newest, pending)
    // A new expiresAt takes effect only when the document is read again.
    const changes = compareDocuments(this.#applied, next)
      .map(({ field }) => field.path)
      .filter((path) => path !== 'expiresAt')
    this.#applied = next
    if (changes.length > 0) this.#emit({ type: 'document-read', changes })
  }
}

/** Lists the changes that need a person's consent, between the accepted document and a newer one. */
function listPendingConsent(agreed: ConfigDocument, next: ConfigDocument): Difference[] {
  return compareDocuments(agreed, next).filter(({ consent }) => consent === 'asked')
}

/**
 * Returns the document that applies until the person consents. Values are not inherited from an earlier document, so a pending value is
 * unset. If it has no default and belongs to the credential, the whole credential is unset: a helper without its new arguments or profile
 * could print a token for another identity. Our decision.
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
