import type { Deadline } from '../../../runtime/deadline.ts'
import type { IssuedTokens } from '../oidc/tokens.ts'

/** A person's sign-in, as a store keeps it. */
export interface StoredSignIn {
  /** Random, new with every sign-in and the same over its renewals. No secret: it is part of the cache's key. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** `sub` of the person, where an ID token said it. */
  readonly subject?: string | undefined
  readonly tokens: IssuedTokens
}

/** Where sign-ins are kept; one store for one provider, client and scope. */
export interface SignInStore {
  /** The sign-in without its tokens, from a file without secrets; cheap enough for every call. */
  readId(): Promise<string | undefined>
  /** @throws {HelperError} for a store that cannot be read, or that another user could have written. */
  read(deadline: Deadline): Promise<StoredSignIn | undefined>
  /**
   * Does `make` while no other process changes the store, with what it holds then, and keeps the result before it resolves.
   * `undefined` from `make` leaves it as it is; `'forget'` removes it.
   */
  change(
    deadline: Deadline,
    make: (current: StoredSignIn | undefined) => Promise<StoredSignIn | 'forget' | undefined>,
  ): Promise<StoredSignIn | undefined>
}
