// Folder: the store of a person's sign-in: sealed, and changed by one process at a time.

import { randomUUID } from 'node:crypto'
import type { Deadline } from '../../../runtime/deadline.ts'
import type { AuthenticationChallenge } from '../oidc/challenge.ts'
import type { IssuedTokens } from '../oidc/provider.ts'

/** A person's sign-in, as a store keeps it. Times are milliseconds since the epoch. */
export interface StoredSignIn {
  /** Random, new for every sign-in, and the same over its renewals. It is not a secret: it is part of the cache key. */
  readonly id: string
  readonly since: number
  /** When its tokens were issued, by the sign-in itself or by a renewal; by default at `since`. */
  readonly renewedAt?: number | undefined
  /** `sub` of the person, if an ID token had it. */
  readonly subject?: string | undefined
  readonly tokens: IssuedTokens
  /** Set if the provider does not renew it until the person has signed in in this way. */
  readonly challenge?: AuthenticationChallenge | undefined
  /** The token of this sign-in that was refused; it may be a previous token. */
  readonly refused?: RefusedToken | undefined
}

/** A token of a sign-in that was refused although it has not expired. It is not served again. */
export interface RefusedToken {
  /** The token's digest (`digestToken`). A new token has another digest, so this record need not be removed. */
  readonly digest: string
  /** In milliseconds since the epoch. */
  readonly at: number
  /** How long a client had held it before, in seconds; `undefined` if the gateway did not refuse it, but a renewal was faulty. */
  readonly heldSec: number | undefined
}

/** A change of a stored sign-in, which may turn out to need none. */
export interface StoreChange {
  /**
   * `undefined` leaves the store as it is; `'forget'` removes what it holds.
   * @param keep Stores something before everything is done, because it could be lost otherwise. It throws as {@link SignInStore.change} does.
   */
  make(
    current: StoredSignIn | undefined,
    keep: (signIn: StoredSignIn) => Promise<void>,
  ): Promise<StoredSignIn | 'forget' | undefined>
  /** Whether a sign-in needs no change. If another process has just stored such a sign-in, the wait for that process ends. */
  isEnough?(current: StoredSignIn): boolean
}

/** A store of sign-ins, for one provider, client and scope. */
export interface SignInStore {
  /**
   * Reads the sign-in's id, which is cheap enough for every call: nothing is decrypted. `undefined` if nobody is signed in, or if the
   * store cannot be read, which {@link read} explains.
   */
  readId(): Promise<string | undefined>
  /**
   * Reads the sign-in. If it is damaged, or was written by a newer version, nobody counts as signed in, with a warning.
   * @throws {HelperError} for a store that cannot be read, or that another user could have written; `late`.
   */
  read(deadline: Deadline): Promise<StoredSignIn | undefined>
  /** Makes sure that a sign-in can be stored, before a person signs in. @throws {HelperError} as {@link change} does. */
  prepare(deadline: Deadline): Promise<void>
  /**
   * Changes the stored sign-in while no other process does, and stores the result before it resolves.
   * @returns the sign-in that is stored now.
   * @throws {HelperError} `not-configured` if it cannot be written; `late`; or what `make` throws.
   */
  change(deadline: Deadline, change: StoreChange): Promise<StoredSignIn | undefined>
}

/** A new sign-in of a person, for a store. */
export function createStoredSignIn(tokens: IssuedTokens, now: number, subject?: string): StoredSignIn {
  return { id: randomUUID(), since: now, renewedAt: now, subject, tokens }
}
