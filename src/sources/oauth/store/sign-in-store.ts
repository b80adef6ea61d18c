// Folder: the store of a person's sign-in: sealed, and changed by one process at a time.

import { randomUUID } from 'node:crypto'
import type { Deadline } from '../../../runtime/deadline.ts'
import type { AuthenticationChallenge } from '../oidc/challenge.ts'
import type { IssuedTokens } from '../oidc/provider.ts'

/** The stored sign-in of a person. Times are milliseconds since the epoch. */
export interface StoredSignIn {
  /** A random ID, new for every sign-in and unchanged by its renewals. It is not secret, because it is part of the cache key. */
  readonly id: string
  readonly since: number
  /** The issue time of its tokens, by the sign-in itself or by a renewal; absent: `since`. */
  readonly renewedAt?: number | undefined
  /** `sub` of the person, if an ID token had it. */
  readonly subject?: string | undefined
  readonly tokens: IssuedTokens
  /** Set if the provider does not renew the sign-in until the person has met this challenge. */
  readonly challenge?: AuthenticationChallenge | undefined
  /** The token of this sign-in that was refused. It may be an earlier token. */
  readonly refused?: RefusedToken | undefined
}

/** A token of a sign-in that was refused although it has not expired. It is not served again. */
export interface RefusedToken {
  /** The token's digest (`digestToken`). A new token has another digest, so this record need not be removed. */
  readonly digest: string
  /** When it was refused, in milliseconds since the epoch. */
  readonly at: number
  /** How long a client had held the token, in seconds; `undefined` if the gateway did not refuse it, but a renewal was faulty. */
  readonly heldSec: number | undefined
}

/** A change of a stored sign-in, which may turn out to need none. */
export interface StoreChange {
  /**
   * Computes the sign-in to store; `undefined` changes nothing, and `'forget'` removes the sign-in.
   * @param keep Stores something before the rest is done, because it could be lost otherwise. It throws as {@link SignInStore.change} does.
   */
  make(
    current: StoredSignIn | undefined,
    keep: (signIn: StoredSignIn) => Promise<void>,
  ): Promise<StoredSignIn | 'forget' | undefined>
  /** Whether a sign-in needs no change. If another process has just stored such a sign-in, this process stops waiting. */
  isEnough?(current: StoredSignIn): boolean
}

/** A store of sign-ins, for one provider, client and scope. */
export interface SignInStore {
  /**
   * Reads the sign-in. A sign-in that is damaged, or that a newer version wrote, counts as missing, with a warning.
   * @throws {HelperError} for a store that cannot be read, or that another user could have written; `late`.
   */
  read(deadline: Deadline): Promise<StoredSignIn | undefined>
  /** Throws if a sign-in cannot be stored, before a person signs in. @throws {HelperError} as {@link change} does. */
  prepare(deadline: Deadline): Promise<void>
  /**
   * Changes the stored sign-in while no other process does, and stores the result before it resolves.
   * @returns the sign-in that is stored now.
   * @throws {HelperError} `not-configured` if it cannot be written; `late`; or what `make` throws.
   */
  change(deadline: Deadline, change: StoreChange): Promise<StoredSignIn | undefined>
}

/** Creates a new sign-in of a person, for a store. */
export function createStoredSignIn(tokens: IssuedTokens, now: number, subject?: string): StoredSignIn {
  return { id: randomUUID(), since: now, renewedAt: now, subject, tokens }
}
