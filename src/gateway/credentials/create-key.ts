import { HelperError } from '../../runtime/failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import { createSecret } from '../store/secrets.ts'
import type { State } from '../store/state.ts'
import { resolveWorkspace } from '../store/workspaces.ts'
import { detectAccess, type Identity, resolveIdentity } from './identities.ts'
import { type Expiration, resolveExpiry } from './key-expiration.ts'
import type { KeyKind } from './key-states.ts'
import { type ApiKey, findMaximumLife, resolveKey } from './keys.ts'

export interface KeyPlan {
  readonly kind: KeyKind
  readonly name: string
  /** Whom the key acts as, where its kind acts as somebody. */
  readonly ownerId?: string | undefined
  /** The one workspace that the key is for; absent for a key that is not scoped. */
  readonly workspaceId?: string | undefined
  readonly expiration: Expiration
}

/**
 * Makes a key. Its secret is told here and never again.
 * @throws {HelperError} `usage` for a combination that the table of key types does not have, `refused` beyond the maximum.
 */
export function createKey(state: State, plan: KeyPlan): { readonly key: ApiKey; readonly secret: Secret } {
  demandBelonging(state, plan)
  const { kind, name, ownerId = null, workspaceId = null, expiration } = plan
  const { secret, digest, hint } = createSecret(kind === 'administrative' ? 'administrative' : 'key')
  const now = state.now()
  const expiresAt = resolveExpiry(expiration, now, findMaximumLife(state))
  const id = state.newId('apiKey')
  state.sql.run`
    INSERT INTO api_keys (id, digest, hint, name, kind, owner_id, workspace_id, status, created_at, expires_at)
    VALUES (${id}, ${digest}, ${hint}, ${name}, ${kind}, ${ownerId}, ${workspaceId}, 'active', ${now}, ${expiresAt})`
  return { key: resolveKey(state, id), secret }
}

interface Belonging {
  readonly owner: Identity['kind'] | 'none'
  readonly workspace: 'one or none' | 'one' | 'none'
}

/** Columns "Acts as" and "Valid in" of "API keys"; an administrative key belongs to the organization. */
const belongings: Readonly<Record<KeyKind, Belonging>> = {
  personal: { owner: 'user', workspace: 'one or none' },
  service_account: { owner: 'service_account', workspace: 'one or none' },
  workspace: { owner: 'none', workspace: 'one' },
  administrative: { owner: 'none', workspace: 'none' },
}

function demandBelonging(state: State, { kind, ownerId, workspaceId }: KeyPlan): void {
  const { owner, workspace } = belongings[kind]
  const identity = ownerId === undefined ? undefined : resolveIdentity(state, ownerId)
  if ((identity?.kind ?? 'none') !== owner) throw refuse(`a key of type ${kind} acts as ${ownerWords[owner]}`)
  if (identity?.standing === 'gone') throw refuse('the owner is gone')
  if (workspaceId === undefined ? workspace === 'one' : workspace === 'none')
    throw refuse(`a key of type ${kind} is for ${workspace} workspace`)
  if (workspaceId === undefined) return
  resolveWorkspace(state, workspaceId)
  if (ownerId !== undefined && detectAccess(state, ownerId, workspaceId) !== 'reachable')
    throw refuse('the owner has no access to the workspace')
}

const ownerWords = { user: 'a user', service_account: 'a service account', none: 'no one' } as const

function refuse(message: string): HelperError {
  return new HelperError('usage', message, 'see: gatepass gateway keys create --help')
}
