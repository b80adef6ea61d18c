import type { Headers } from '../contract/headers.ts'
import { type ApiKeyRecord, parseApiKey, parseWorkspace, type WorkspaceRecord } from './administration.ts'
import { iteratePages, type List, type PageOptions, parseList } from './list.ts'
import { type Message, type MessageRequest, parseMessage } from './message.ts'
import { demandLength, demandLimit, demandPathPart } from './request/check-request.ts'
import type { ApiConnection } from './request/connection.ts'
import { readAnswer } from './request/read-answer.ts'
import { sendRequest } from './request/send-request.ts'
import { type NewSessionEvent, parseSentEvents, type SessionEvent } from './session-event.ts'
import { type FileResource, parseFileResource, parseSessionResource, type SessionResource } from './session-resource.ts'

export interface WorkspaceOptions extends PageOptions {
  readonly includeDefault?: boolean
}

export interface NewFile {
  readonly file_id: string
  /** Absent, the platform mounts it at `/mnt/session/uploads/<file_id>`. */
  readonly mount_path?: string | null
}

/** Every operation of the API that takes a credential. What is refused is thrown as an `ApiError`. */
export interface Api {
  readonly resources: {
    list(session: string, options?: PageOptions): Promise<List<SessionResource>>
    /** All of them, page by page. */
    iterate(session: string, options?: PageOptions): AsyncGenerator<SessionResource, void, undefined>
    /** Only files can be added. */
    add(session: string, file: NewFile): Promise<FileResource>
    get(session: string, resource: string): Promise<SessionResource>
    /** Replaces the authorization token of a repository. */
    rotate(session: string, resource: string, authorizationToken: string): Promise<SessionResource>
  }
  readonly events: { send(session: string, events: readonly NewSessionEvent[]): Promise<readonly SessionEvent[]> }
  readonly messages: {
    create(message: MessageRequest): Promise<Message>
    /** The server-sent events as they come; with the headers of the answer. */
    stream(message: MessageRequest): Promise<{ body: ReadableStream<Uint8Array>; headers: Headers }>
  }
  readonly keys: {
    list(options?: PageOptions): Promise<List<ApiKeyRecord>>
    iterate(options?: PageOptions): AsyncGenerator<ApiKeyRecord, void, undefined>
    get(key: string): Promise<ApiKeyRecord>
  }
  readonly workspaces: {
    list(options?: WorkspaceOptions): Promise<List<WorkspaceRecord>>
    iterate(options?: WorkspaceOptions): AsyncGenerator<WorkspaceRecord, void, undefined>
  }
}

/** A client of the API. Limits of the document are checked before anything is sent. */
export function createApi(connection: ApiConnection): Api {
  const get = async <Value>(path: string, parse: (value: unknown) => Value) =>
    readAnswer(await sendRequest(connection, { method: 'GET', path }), parse)
  const post = async <Value>(path: string, body: object, parse: (value: unknown) => Value) =>
    readAnswer(await sendRequest(connection, { method: 'POST', path, body: JSON.stringify(body) }), parse)
  const list = <Item>(path: string, parseItem: (item: unknown) => Item, options: WorkspaceOptions = {}) =>
    get(path + renderQuery(options), (value) => parseList(value, parseItem))

  const listResources = (session: string, options?: PageOptions) =>
    list(resourcesPath(session), parseSessionResource, options)
  const listKeys = (options?: PageOptions) => list(keysPath, parseApiKey, options)
  const listWorkspaces = (options?: WorkspaceOptions) => list(workspacesPath, parseWorkspace, options)

  return {
    resources: {
      list: async (session, options) => listResources(session, options),
      iterate: (session, options) => iteratePages((page) => listResources(session, page), options),
      add: async (session, file) => post(resourcesPath(session), checkFile(file), parseFileResource),
      get: async (session, resource) => get(resourcePath(session, resource), parseSessionResource),
      rotate: async (session, resource, token) => {
        const body = { authorization_token: demandLength('authorization_token', token) }
        return post(resourcePath(session, resource), body, parseSessionResource)
      },
    },
    events: {
      send: async (session, events) => post(`${sessionPath(session)}/events`, { events }, parseSentEvents),
    },
    messages: {
      create: async (message) => post(messagesPath, message, parseMessage),
      stream: async (message) => {
        const body = JSON.stringify({ ...message, stream: true })
        const response = await sendRequest(connection, { method: 'POST', path: messagesPath, body })
        return { body: response.body ?? ReadableStream.from([]), headers: Object.fromEntries(response.headers) }
      },
    },
    keys: {
      list: async (options) => listKeys(options),
      iterate: (options) => iteratePages(listKeys, options),
      get: async (key) => get(`${keysPath}/${demandPathPart('api_key_id', key)}`, parseApiKey),
    },
    workspaces: {
      list: async (options) => listWorkspaces(options),
      iterate: (options) => iteratePages((page) => listWorkspaces({ ...options, ...page }), options),
    },
  }
}

const messagesPath = '/v1/messages'

/** Ours: the documents name the operations only. */
const keysPath = '/v1/organizations/api_keys'
const workspacesPath = '/v1/organizations/workspaces'

function sessionPath(session: string): string {
  return `/v1/sessions/${demandPathPart('session_id', session)}`
}

function resourcesPath(session: string): string {
  return `${sessionPath(session)}/resources`
}

function resourcePath(session: string, resource: string): string {
  return `${resourcesPath(session)}/${demandPathPart('resource_id', resource)}`
}

function checkFile({ file_id, mount_path }: NewFile) {
  const path = mount_path == null ? {} : { mount_path: demandLength('mount_path', mount_path) }
  return { type: 'file', file_id: demandLength('file_id', file_id), ...path }
}

function renderQuery({ limit, page, includeDefault }: WorkspaceOptions): string {
  const query = new URLSearchParams({
    ...(limit !== undefined && { limit: String(demandLimit(limit)) }),
    ...(page !== undefined && { page }),
    ...(includeDefault !== undefined && { include_default: String(includeDefault) }),
  })
  return query.size === 0 ? '' : `?${query}`
}
