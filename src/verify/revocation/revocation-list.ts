// Holds the entries of one source in memory; `revocations.ts` joins all sources.

import { HelperError } from '../../runtime/failure.ts'
import type { Identity } from '../verdict.ts'
import { type Revocation, type RevokedKind, toRevocationId } from './revocation.ts'

/** The most entries of one source, about 30 MB. Our decision. */
export const maxRevocations = 100_000

/** The entries of one source, up to a limit. */
export class RevocationList {
  readonly #now: () => number
  #entries = new Map<string, Revocation>()
  #version = 0
  #keysVersion = 0

  /** @param now Epoch milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  get size(): number {
    return this.#entries.size
  }

  /** The number differs after every change. */
  get version(): number {
    return this.#version
  }

  /** The number differs after every change of the revoked keys. */
  get keysVersion(): number {
    return this.#keysVersion
  }

  /** Lists every entry in force. */
  list(): Revocation[] {
    const now = this.#now()
    return this.#entries
      .values()
      .filter(({ until }) => until > now)
      .toArray()
  }

  /** Finds the entry in force about the same tokens, if it refuses at least as many tokens. */
  findStronger(revocation: Revocation): Revocation | undefined {
    const known = this.#entries.get(toRevocationId(revocation))
    const isStronger = known && known.before >= revocation.before && known.until >= revocation.until
    return isStronger && known.until > this.#now() ? known : undefined
  }

  /**
   * Selects the revocations that the entries in force do not include, at most one for the same tokens. Each is joined with the entry that
   * it replaces, so that it refuses no fewer tokens. Revocations that have ended are omitted.
   */
  selectNew(revocations: readonly Revocation[]): Revocation[] {
    const found = new Map<string, Revocation>()
    for (const each of revocations.filter(({ until }) => until > this.#now())) {
      const id = toRevocationId(each)
      if (this.findStronger(each)) continue
      const { before, until } = found.get(id) ?? this.#entries.get(id) ?? each
      const isInForce = until > this.#now()
      const joined = { ...each, before: Math.max(before, each.before), until: Math.max(until, each.until) }
      found.set(id, isInForce ? joined : each)
    }
    return [...found.values()]
  }

  /**
   * Adds an entry, which replaces an earlier one about the same tokens. An entry that has ended removes the earlier one.
   * @returns `full` if the list is full and the entry was not added.
   */
  add(revocation: Revocation): 'added' | 'full' {
    const id = toRevocationId(revocation)
    const isLifted = revocation.until <= this.#now()
    if (!isLifted && !this.#entries.has(id) && this.#isFull()) return 'full'
    if (isLifted) this.#entries.delete(id)
    else this.#entries.set(id, revocation)
    this.#version += 1
    if (revocation.kind === 'key') this.#keysVersion += 1
    return 'added'
  }

  /**
   * Adds entries.
   * @throws {HelperError} `unavailable` if the list is full.
   */
  addAll(revocations: readonly Revocation[]): void {
    if (revocations.every((each) => this.add(each) === 'added')) return
    const hint = 'take entries out, or give them an end (until)'
    throw new HelperError('unavailable', `the list of revocations is full (${maxRevocations})`, hint)
  }

  /** Replaces all entries by those of another list, in one step. */
  replace(other: RevocationList): void {
    const hadKeys = this.#countKeys()
    this.#entries = other.#entries
    this.#version += 1
    if (hadKeys > 0 || this.#countKeys() > 0) this.#keysVersion += 1
  }

  /** Finds the entry that refuses an identity. Revoked keys are not checked here. */
  find(identity: Identity): Revocation | undefined {
    if (this.#entries.size === 0) return undefined
    const { issuer, subject, issuedAt = -Infinity, claims } = identity
    const { email, sid, jti } = claims
    const names: [RevokedKind, unknown][] = [
      ['subject', subject],
      ['token', jti],
      ['session', sid],
      ['email', email],
    ]
    for (const [kind, value] of names) {
      const found = this.#findOne(kind, value, issuer)
      if (found && issuedAt <= found.before) return found
    }
    return undefined
  }

  /** Returns whether a key is revoked, by its `kid` or its thumbprint. */
  hasKey(issuer: string, names: readonly (string | undefined)[]): boolean {
    return this.#entries.size > 0 && names.some((name) => this.#findOne('key', name, issuer) !== undefined)
  }

  #findOne(kind: RevokedKind, value: unknown, issuer: string): Revocation | undefined {
    if (typeof value !== 'string') return undefined
    const found = [issuer, undefined].map((each) => this.#entries.get(toRevocationId({ kind, issuer: each, value })))
    const inForce = found.filter((each) => each !== undefined && each.until > this.#now())
    return inForce.toSorted((a, b) => b!.before - a!.before)[0]
  }

  #isFull(): boolean {
    if (this.#entries.size < maxRevocations) return false
    const now = this.#now()
    for (const [id, { until }] of this.#entries) if (until <= now) this.#entries.delete(id)
    return this.#entries.size >= maxRevocations
  }

  #countKeys(): number {
    return this.#entries.values().reduce((count, { kind }) => count + Number(kind === 'key'), 0)
  }
}
