import { type ApiKeyRecord, parseApiKey } from '../../api/administration.ts'
import { ApiError } from '../../api/api-error.ts'
import { createApiFetch } from '../../api/api-fetch.ts'
import { parseList } from '../../api/list.ts'
import { readAnswer } from '../../api/read-answer.ts'
import { requireSecureUrl } from '../../api/secure-url.ts'
import { sendRequest } from '../../api/send-request.ts'
import { apiLimits, apiPaths } from '../../contract/http-api.ts'
import type { NetworkCall } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import { describeMoment, toDate } from '../../runtime/values/duration.ts'
import type { ApiKeyOptions } from './api-key-options.ts'
import type { KeyDates } from './stored-key.ts'

/**
 * Asks the platform about a key by listing the keys. This takes one request, costs nothing, and identifies the key if it may list keys.
 * @throws {HelperError} `refused` for a key that is not accepted; `not-configured` without an address.
 */
export async function fetchKeyStanding(
  key: Secret,
  { 'base-url': baseUrl, workspace }: Pick<ApiKeyOptions, 'base-url' | 'workspace'>,
  { call, hint }: { readonly call: NetworkCall; readonly hint: string },
): Promise<KeyStanding> {
  if (baseUrl === undefined)
    throw new HelperError(
      'not-configured',
      'no platform is set that can be asked about the key',
      `name its address with --base-url; see: ${call.program} --help`,
    )
  const { host } = requireSecureUrl(baseUrl, '')
  const send = createApiFetch({ network: call.network })
  const request = { method: 'GET', path: `${apiPaths.keys}?limit=${apiLimits.pageSize}` }
  return call.deadline.during('network', `asking ${host} about the key`, async ({ signal }) => {
    const connection = {
      baseUrl,
      credentials: {
        current: async () => ({ token: key, scheme: 'bearer' as const, headers: {} }),
        renew: async () => undefined,
      },
      fetch: (url: string, init: RequestInit) => send(url, { ...init, signal }),
      workspaceId: workspace,
    }
    try {
      const answer = await sendRequest(connection, request)
      const { data } = await readAnswer(answer, (value) => parseList(value, parseApiKey))
      return { host, maySeeKeys: 'yes', record: findRecord(key, data) }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // The platform answers 403 only to a caller with a valid key.
      if (error.status === 403 && error.type !== undefined) return { host, maySeeKeys: 'no', record: undefined }
      throw explainRefusal(error, host, hint)
    }
  })
}

/** The platform's answer about a key that it accepts. */
interface KeyStanding {
  /** The host of the platform, for messages. */
  readonly host: string
  /** `no`: the key may not list keys, like every key that is bound to one workspace. */
  readonly maySeeKeys: 'yes' | 'no'
  /** The key's own record, if exactly one record in the list of keys matches. */
  readonly record: ApiKeyRecord | undefined
}

/** Finds the record whose hint, such as `sk-…wxyz`, matches the key; `undefined` if none or more than one does. */
function findRecord(key: Secret, records: readonly ApiKeyRecord[]): ApiKeyRecord | undefined {
  const text = key.reveal()
  const fitting = records.filter(({ partial_key_hint: hint }) => {
    const [begin = '', end = ''] = typeof hint === 'string' ? hint.split(/…|\.{3}/) : []
    return begin !== '' && end !== '' && text.startsWith(begin) && text.endsWith(end)
  })
  return fitting.length === 1 ? fitting[0] : undefined
}

function explainRefusal(error: ApiError, host: string, hint: string): HelperError {
  const isRefused = error.status === 401
  const problem = isRefused ? `${host} does not accept the key` : `${host} did not say whether it accepts the key`
  const fix = isRefused
    ? `it is expired, disabled, deleted or not of this platform: have another one created, and ${hint}`
    : error.hint
  return new HelperError(error.kind, `${problem}: ${error.message}`, fix, { cause: error })
}

/** Describes the platform's answer about a key, one line for each fact. */
export function describeStanding({ host, maySeeKeys, record }: KeyStanding, now: number): string[] {
  return [
    `${host} accepts the key`,
    ...(record ? describeRecord(record, now) : ['the platform does not show this key its own record']),
    describeRights(maySeeKeys, record),
  ]
}

/** Takes the dates of a key from its record. */
export function toKeyDates(record: ApiKeyRecord): KeyDates {
  const [createdAt, expiresAt] = [record.created_at, record.expires_at].map((at) =>
    typeof at === 'string' ? toDate(at) : undefined,
  )
  return { createdAt, expiresAt }
}

function describeRecord(record: ApiKeyRecord, now: number): string[] {
  const { id, name, status, owner_id: owner, workspace_id: workspace } = record
  const { expiresAt } = toKeyDates(record)
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
