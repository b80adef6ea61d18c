// Renders keys and workspaces of the stand-in in the form of the API.

import type { ApiKeyRecord, WorkspaceRecord } from '../../api/administration.ts'
import type { ApiKey } from '../credentials/api-keys.ts'
import type { Workspace } from '../store/workspaces.ts'

/** Returns a key as the API shows it. An expired key keeps its status, because `expires_at` says that it is expired. */
export function toKeyRecord(key: ApiKey): ApiKeyRecord {
  return {
    type: 'api_key',
    id: key.id,
    name: key.name,
    kind: key.kind,
    status: key.status,
    partial_key_hint: key.hint,
    owner_id: key.ownerId,
    workspace_id: key.workspaceId,
    created_at: new Date(key.createdAt).toISOString(),
    expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
  }
}

export function toWorkspaceRecord({ id, name, isDefault, createdAt, archivedAt }: Workspace): WorkspaceRecord {
  return {
    type: 'workspace',
    id,
    name,
    is_default: isDefault,
    created_at: new Date(createdAt).toISOString(),
    archived_at: archivedAt === null ? null : new Date(archivedAt).toISOString(),
  }
}
