import type { Area } from '../http/areas.ts'
import { Refusal } from '../http/refusal.ts'
import type { State } from '../store/state.ts'
import { detectAccess } from './access.ts'
import { findTokenBySecret } from './access-tokens.ts'
import { findKeyStop } from './find-key-stop.ts'
import { resolveIdentity } from './identities.ts'
import { type ApiKey, findKeyBySecret } from './keys.ts'

/** Who sends a request, and for which workspaces. */
export interface Principal {
  readonly class: CredentialClass
  /** Whom the credential acts as; `null` where it acts as no one. */
  readonly ownerId: string | null
  /** The one workspace that the credential acts in; `null` where the request must name it. */
  readonly workspaceId: string | null
  /** Until when the credential is valid, in epoch milliseconds; `Infinity` for one that does not expire. */
  readonly until: number
}

/** What a credential is, by which its permissions follow. */
export type CredentialClass =
  | 'unscoped key'
  | 'key for one workspace'
  | 'administrative key'
  | 'federation token'
  | 'attestation token'

/** The areas that each class of credential may be used for. */
const permittedAreas: Readonly<Record<CredentialClass, readonly Area[]>> = {
  'unscoped key': ['messages', 'sessions', 'administration'],
  'key for one workspace': ['messages', 'sessions'],
  'administrative key': ['administration'],
  'federation token': ['messages', 'sessions'],
  'attestation token': ['messages'],
}

/**
 * Finds who sends a credential, and checks that it is valid.
 * @throws {Refusal} 401; only the gateway's own record says why.
 */
export function authenticate(state: State, credential: string): Principal {
  const key = findKeyBySecret(state, credential)
  return key ? authenticateKey(state, key) : authenticateToken(state, credential)
}

/** @throws {Refusal} 403 where a valid credential may not be used for an area. */
export function requirePermission(principal: Principal, area: Area): void {
  if (permittedAreas[principal.class].includes(area)) return
  throw new Refusal(403, `this credential is not for the ${area} endpoints`, { reason: `${principal.class}` })
}

function authenticateKey(state: State, key: ApiKey): Principal {
  const stop = findKeyStop(key, findKeyContext(state, key), state.now())
  if (stop !== undefined) throw unauthenticated(stop)
  const { ownerId, workspaceId, expiresAt } = key
  return { class: toCredentialClass(key), ownerId, workspaceId, until: expiresAt ?? Number.POSITIVE_INFINITY }
}

function findKeyContext(state: State, { ownerId, workspaceId }: ApiKey) {
  const owner = ownerId === null ? 'none' : resolveIdentity(state, ownerId).standing
  const workspace = workspaceId === null ? 'unbound' : detectAccess(state, ownerId, workspaceId)
  return { owner, workspace } as const
}

function toCredentialClass({ kind, workspaceId }: ApiKey): CredentialClass {
  if (kind === 'administrative') return 'administrative key'
  return workspaceId === null ? 'unscoped key' : 'key for one workspace'
}

function authenticateToken(state: State, credential: string): Principal {
  const token = findTokenBySecret(state, credential)
  if (!token) throw unauthenticated('the credential is unknown')
  const { method, ownerId, workspaceId, expiresAt, revokedAt } = token
  if (revokedAt !== null) throw unauthenticated('the token is revoked')
  if (expiresAt <= state.now()) throw unauthenticated('the token is expired')
  if (ownerId !== null && resolveIdentity(state, ownerId).standing === 'gone')
    throw unauthenticated('the owner is gone')
  const access = detectAccess(state, ownerId, workspaceId)
  if (access !== 'reachable') throw unauthenticated(`the workspace is ${access}`)
  return { class: `${method} token`, ownerId, workspaceId, until: expiresAt }
}

function unauthenticated(reason: string): Refusal {
  return new Refusal(401, 'the credential is not accepted', { reason })
}
