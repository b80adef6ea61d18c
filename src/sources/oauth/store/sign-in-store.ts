import type { Deadline } from '../../../runtime/deadline.ts'
import type { IssuedTokens } from '../oidc/tokens.ts'

/** A person's sign-in, as a store keeps it. Times are milliseconds since the epoch. */
export interface StoredSignIn {
  /** Random, new with every sign-in and the same over its renewals. No secret: it is part of the cache's key. */
  readonly id: string
  readonly since: number
  /** When its tokens were issued, by the sign-in itself or by a renewal; without it, at `since`. */
  readonly renewedAt?: number | undefined
  /** `sub` of the person, where an ID token said it. */
  readonly subject?: string | undefined
  readonly tokens: IssuedTokens
}

/** What to do with a sign-in that may need no change. */
export interface StoreChange {
  /** `undefined` leaves the store as it is; `'forget'` removes what it holds. */
  make(current: StoredSignIn | undefined): Promise<StoredSignIn | 'forget' | undefined>
  /** Whether a sign-in needs no change: one that another process has just stored ends the wait for that process. */
  isEnough?(current: StoredSignIn): boolean
}

/** Where sign-ins are kept; one store for one provider, client and scope. */
export interface SignInStore {
  /**
   * The sign-in's id, cheap enough for every call: nothing is decrypted. `undefined` where nobody is signed in, or where that
   * cannot be read, which {@link read} explains.
   */
  readId(): Promise<string | undefined>
  /**
   * Reads the sign-in. One that is damaged, or was written by a newer version, counts as none, with a warning.
   * @throws {HelperError} for a store that cannot be read, or that another user could have written; `late`.
   */
  read(deadline: Deadline): Promise<StoredSignIn | undefined>
  /** Makes sure that a sign-in could be kept, before a person signs in. @throws {HelperError} as {@link change} does. */
  prepare(deadline: Deadline): Promise<void>
  /**
   * Changes the store while no other process does, with what it holds then, and keeps the result before it resolves.
   * @returns what it holds now.
   * @throws {HelperError} `not-configured` where it cannot be written; `late`; or what `make` throws.
   */
  change(deadline: Deadline, change: StoreChange): Promise<StoredSignIn | undefined>
}
