import type { ApiKeyRecord } from '../../api/administration.ts'
import { describeMoment, toDate } from '../../runtime/values/duration.ts'
import type { KeyStanding } from './fetch-key-standing.ts'
import type { KeyDates } from './stored-key.ts'

/** Describes the platform's answer about a key, one line for each fact. */
export function describeStanding({ host, maySeeKeys, record }: KeyStanding, now: number): string[] {
  return [
    `${host} accepts the key`,
    ...(record ? describeRecord(record, now) : ['the platform does not tell this key which one it is']),
    describeRights(maySeeKeys, record),
  ]
}

/** The life of a key according to its record; empty if there is no record. */
export function toKeyLife({ record }: KeyStanding): KeyDates {
  if (!record) return {}
  const [createdAt, expiresAt] = [record.created_at, record.expires_at].map((at) =>
    typeof at === 'string' ? toDate(at) : undefined,
  )
  return { createdAt, expiresAt }
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
  if (record?.kind === 'administrative') return 'it may administer the organization, but not send messages'
  return maySeeKeys === 'yes'
    ? 'it may use the API, and list the keys and workspaces of the organization'
    : 'it may use the API, but not administer the organization'
}
