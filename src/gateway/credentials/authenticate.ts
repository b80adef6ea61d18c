// Folder: keys, tokens, identities and their issuers: their life, the exchange, and their permissions.

import { vendor } from '../../vendor.ts'
import { type Area, Refusal, unacceptedMessage } from '../http/requests.ts'
import { isIdentifier } from '../store/identifiers.ts'
import type { State } from '../store/state.ts'
import { findWorkspace, type Workspace } from '../store/workspaces.ts'
import { findTokenBySecret } from './access-tokens.ts'
import { type ApiKey, findKeyBySecret } from './api-keys.ts'
import { detectKeyState, type KeyKind, type KeyLife, type KeyState, keyKinds } from './key-life.ts'
import { detectAccess, requireIdentity, type WorkspaceAccess } from './platform-identities.ts'

/** The authenticated sender of a request, and the workspaces that it may use. */
export interface AuthenticatedCaller {
  readonly class: CredentialClass
  /** The identity that the credential acts as; `null` if it acts as no one. */
  readonly ownerId: string | null
  /** The workspace that the credential is restricted to; `null` if the request must name one. */
  readonly workspaceId: string | null
  /** When the credential expires, in epoch milliseconds; `Infinity` if it does not. */
  readonly until: number
}

/** The kind of a credential, from which its permissions follow. */
export type CredentialClass =
  | 'unscoped key'
  | 'key for one workspace'
  | 'administrative key'
  | 'federation token'
  | 'attestation token'

/** The areas in which each class of credential may be used. */
const permittedAreas: Readonly<Record<CredentialClass, readonly Area[]>> = {
  'unscoped key': ['messages', 'sessions', 'administration'],
  'key for one workspace': ['messages', 'sessions'],
  'administrative key': ['administration'],
  'federation token': ['messages', 'sessions'],
  'attestation token': ['messages'],
}

/**
 * Finds the owner of a credential, and checks that the credential is valid.
 * @throws {Refusal} 401; only the gateway's own record contains the reason.
 */
export function authenticate(state: State, credential: string): AuthenticatedCaller {
  const key = findKeyBySecret(state, credential)
  return key ? authenticateKey(state, key) : authenticateToken(state, credential)
}

/** @throws {Refusal} 403 if a valid credential may not be used in an area. */
export function refuseOtherArea(principal: AuthenticatedCaller, area: Area): void {
  if (permittedAreas[principal.class].includes(area)) return
  throw new Refusal(403, `this credential is not for the ${area} endpoints`, { reason: `${principal.class}` })
}

function authenticateKey(state: State, key: ApiKey): AuthenticatedCaller {
  const stop = findKeyStop(key, toKeyContext(state, key), state.now())
  if (stop !== undefined) throw rejectCredential(stop)
  const { ownerId, workspaceId, expiresAt } = key
  return { class: toCredentialClass(key), ownerId, workspaceId, until: expiresAt ?? Number.POSITIVE_INFINITY }
}

function toKeyContext(state: State, { ownerId, workspaceId }: ApiKey) {
  const owner = ownerId === null ? 'none' : requireIdentity(state, ownerId).standing
  const workspace = workspaceId === null ? 'unbound' : detectAccess(state, ownerId, workspaceId)
  return { owner, workspace } as const
}

function authenticateToken(state: State, credential: string): AuthenticatedCaller {
  const token = findTokenBySecret(state, credential)
  if (!token) throw rejectCredential('the credential is unknown')
  const { method, ownerId, workspaceId, expiresAt, revokedAt } = token
  if (revokedAt !== null) throw rejectCredential('the token is revoked')
  if (expiresAt <= state.now()) throw rejectCredential('the token is expired')
  if (ownerId !== null && requireIdentity(state, ownerId).standing === 'gone')
    throw rejectCredential('the owner is gone')
  const access = detectAccess(state, ownerId, workspaceId)
  if (access !== 'reachable') throw rejectCredential(`the workspace is ${access}`)
  return { class: `${method} token`, ownerId, workspaceId, until: expiresAt }
}

function rejectCredential(reason: string): Refusal {
  return new Refusal(401, unacceptedMessage, { reason })
}

/** The facts besides a key's own record that decide whether the key is accepted. */
interface KeyContext {
  /** The identity that the key acts as; `none` for a key that acts as no one. */
  readonly owner: 'present' | 'gone' | 'none'
  /** The workspace that the key is restricted to; `unbound` for a key without such a restriction. */
  readonly workspace: WorkspaceAccess | 'unbound'
}

interface KeyStop {
  /** Written to the gateway's own record. */
  readonly reason: string
  readonly kinds: readonly KeyKind[]
  readonly holds: (state: KeyState, context: KeyContext) => boolean
}

const identityBacked: readonly KeyKind[] = ['personal', 'service_account']

/** Column "Stops working when" of table "API keys", and every state except `active`. */
const stops: readonly KeyStop[] = [
  { reason: 'the key is deleted', kinds: keyKinds, holds: (state) => state === 'archived' },
  { reason: 'the key is expired', kinds: keyKinds, holds: (state) => state === 'expired' },
  { reason: 'the key is disabled', kinds: keyKinds, holds: (state) => state === 'inactive' },
  { reason: 'the owner is gone', kinds: identityBacked, holds: (_, { owner }) => owner === 'gone' },
  { reason: 'the owner left the workspace', kinds: identityBacked, holds: (_, { workspace }) => workspace === 'left' },
  {
    reason: 'the workspace is archived',
    kinds: [...identityBacked, 'workspace'],
    holds: (_, { workspace }) => workspace === 'archived',
  },
]

/** Finds why a known key does not work; `undefined` if it works. */
function findKeyStop(key: KeyLife, context: KeyContext, now: number): string | undefined {
  const state = detectKeyState(key, now)
  return stops.find(({ kinds, holds }) => kinds.includes(key.kind) && holds(state, context))?.reason
}

function toCredentialClass({ kind, workspaceId }: ApiKey): CredentialClass {
  if (kind === 'administrative') return 'administrative key'
  return workspaceId === null ? 'unscoped key' : 'key for one workspace'
}

/**
 * Selects the workspace of a request, from its credential and the workspace header; `undefined` for an administrative key, which has no
 * workspace.
 * @throws {Refusal} 400 or 404, by the first three rows of table "Errors".
 */
export function selectWorkspace(
  state: State,
  principal: AuthenticatedCaller,
  named: string | undefined,
): Workspace | undefined {
  if (named !== undefined && !isIdentifier('workspace', named))
    throw new Refusal(400, `${vendor.workspaceHeader} is not a valid workspace ID`)
  if (principal.class === 'administrative key') return undefined
  return principal.workspaceId === null
    ? selectNamed(state, principal, named)
    : selectBound(state, principal.workspaceId, named)
}

function selectNamed(state: State, { ownerId }: AuthenticatedCaller, named: string | undefined): Workspace | undefined {
  if (named === undefined)
    throw new Refusal(400, `${vendor.workspaceHeader} is required: the credential is not scoped to a workspace`)
  const access = detectAccess(state, ownerId, named)
  if (access === 'reachable') return findWorkspace(state, named)
  // All three cases have the same answer, so that a caller cannot find out which workspaces exist.
  throw new Refusal(404, 'there is no such workspace', {
    reason: access === 'left' ? 'no access' : `${access} workspace`,
  })
}

function selectBound(state: State, bound: string, named: string | undefined): Workspace | undefined {
  if (named === undefined || named === bound) return findWorkspace(state, bound)
  throw new Refusal(400, `${vendor.workspaceHeader} differs from the workspace that the credential is for`)
}
