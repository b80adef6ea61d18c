import { randomUUID } from 'node:crypto'
import type { IssuedTokens } from '../oidc/tokens.ts'
import type { StoredSignIn } from './sign-in-store.ts'

/** A new sign-in of a person, for a store. */
export function createStoredSignIn(tokens: IssuedTokens, now: number, subject?: string): StoredSignIn {
  return { id: randomUUID(), since: now, renewedAt: now, subject, tokens }
}
