import type { ApiKeyRecord } from '../../../api/administration.ts'
import { describeMoment } from '../../describe-moment.ts'
import type { KeyLife } from '../key/stored-key.ts'
import type { KeyStanding } from './fetch-key-standing.ts'

/** What the platform says of a key, one line each. */
export function describeStanding({ host, maySeeKeys, record }: KeyStanding, now: number): string[] {
  return [
    `${host} accepts the key`,
    ...(record ? describeRecord(record, now) : ['which one it is, the platform does not say to such a key']),
    describeRights(maySeeKeys, record),
  ]
}

/** The life of a key that its record tells; nothing where there is no record. */
export function toKeyLife({ record }: KeyStanding): KeyLife {
  if (!record) return {}
  return { createdAt: toDate(record.created_at), expiresAt: toDate(record.expires_at) }
}

function describeRecord(record: ApiKeyRecord, now: number): string[] {
  const { id, name, status, owner_id: owner, workspace_id: workspace } = record
  const { expiresAt } = toKeyLife({ host: '', maySeeKeys: 'yes', record })
  return [
    `it is ${id}${typeof name === 'string' ? ` (${name})` : ''}, ${status}`,
    ...(typeof owner === 'string' ? [`it acts as ${owner}`] : []),
    typeof workspace === 'string' ? `it is for the workspace ${workspace}` : 'it is not bound to one workspace',
    expiresAt ? `it expires at ${describeMoment(expiresAt.getTime(), now)}` : 'it does not expire',
  ]
}

function describeRights(maySeeKeys: KeyStanding['maySeeKeys'], record: ApiKeyRecord | undefined): string {
  if (record?.kind === 'administrative') return 'it may administer the organization, and send no messages'
  return maySeeKeys === 'yes'
    ? 'it may use the API, and list the keys and workspaces of the organization'
    : 'it may use the API, and not administer the organization'
}

function toDate(value: unknown): Date | undefined {
  const date = new Date(typeof value === 'string' ? value : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}
