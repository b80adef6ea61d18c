import { HelperError } from '../../runtime/failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import { programName } from '../../version.ts'
import { createSecret } from '../store/identifiers.ts'
import type { State } from '../store/state.ts'
import { type ApiKey, findMaximumLife, requireKey } from './api-keys.ts'
import { computeExpiry, type Expiration, type KeyKind } from './key-life.ts'
import { type PlatformIdentity, refuseUnreachable, requireIdentity } from './platform-identities.ts'

/** The validated properties of a new key. */
export interface KeyPlan {
  readonly kind: KeyKind
  readonly name: string
  /** The identity that the key acts as; absent for a kind that acts as no one. */
  readonly ownerId?: string | undefined
  /** The workspace that the key is restricted to; absent for an unscoped key. */
  readonly workspaceId?: string | undefined
  readonly expiration: Expiration
}

/**
 * Creates a key. Its secret is returned here and never again.
 * @throws {HelperError} `usage` for a combination that table "API keys" does not have, `refused` for a longer life than the
 * organization permits.
 */
export function createKey(state: State, plan: KeyPlan): { readonly key: ApiKey; readonly secret: Secret } {
  refuseWrongBelonging(state, plan)
  const { kind, name, ownerId = null, workspaceId = null, expiration } = plan
  const { secret, digest, hint } = createSecret(kind === 'administrative' ? 'administrative' : 'key')
  const now = state.now()
  const expiresAt = computeExpiry(expiration, now, findMaximumLife(state))
  const id = state.createId('apiKey')
  state.sql.run`
    INSERT INTO api_keys (id, digest, hint, name, kind, owner_id, workspace_id, status, created_at, expires_at)
    VALUES (${id}, ${digest}, ${hint}, ${name}, ${kind}, ${ownerId}, ${workspaceId}, 'active', ${now}, ${expiresAt})`
  return { key: requireKey(state, id), secret }
}

/** The identity that a kind of key acts as, and the workspace that it is for. */
interface Belonging {
  readonly owner: PlatformIdentity['kind'] | 'none'
  readonly workspace: 'one or none' | 'one' | 'none'
}

/** Columns "Acts as" and "Valid in" of table "API keys"; an administrative key belongs to the organization. */
const belongings: Readonly<Record<KeyKind, Belonging>> = {
  personal: { owner: 'user', workspace: 'one or none' },
  service_account: { owner: 'service_account', workspace: 'one or none' },
  workspace: { owner: 'none', workspace: 'one' },
  administrative: { owner: 'none', workspace: 'none' },
}

function refuseWrongBelonging(state: State, { kind, ownerId, workspaceId }: KeyPlan): void {
  const { owner, workspace } = belongings[kind]
  const identity = ownerId === undefined ? undefined : requireIdentity(state, ownerId)
  if ((identity?.kind ?? 'none') !== owner) throw reject(`a key of type ${kind} acts as ${ownerNames[owner]}`)
  if (identity?.standing === 'gone') throw reject('the owner is gone')
  if (workspaceId === undefined ? workspace === 'one' : workspace === 'none')
    throw reject(`a key of type ${kind} is for ${workspace === 'none' ? 'no' : workspace} workspace`)
  if (workspaceId === undefined) return
  refuseUnreachable(state, ownerId ?? null, workspaceId)
}

const ownerNames = { user: 'a user', service_account: 'a service account', none: 'no one' } as const

function reject(message: string): HelperError {
  return new HelperError('usage', message, `see: ${programName} gateway keys create --help`)
}
