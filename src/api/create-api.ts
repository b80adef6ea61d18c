// Folder: a typed client of the platform's HTTP API: its operations, its requests, and its errors without secrets.

import type { Headers } from '../contract/headers.ts'
import { apiPaths } from '../contract/http-api.ts'
import { type ApiKeyRecord, parseApiKey, parseWorkspace, type WorkspaceRecord } from './administration.ts'
import type { ApiConnection } from './api-fetch.ts'
import { encodePathPart, requireLength, requireLimit } from './check-request.ts'
import { iteratePages, type List, type PageOptions, parseList } from './list.ts'
import { readAnswer } from './read-answer.ts'
import { sendRequest } from './send-request.ts'
import {
  type Message,
  type MessageRequest,
  type NewSessionEvent,
  parseMessage,
  parseSentEvents,
  type SessionEvent,
} from './session-event.ts'
import { type FileResource, parseFileResource, parseSessionResource, type SessionResource } from './session-resource.ts'

/** Every operation of the API that takes a credential. A refusal is thrown as an `ApiError`. */
export interface Api {
  readonly resources: {
    list(session: string, options?: PageOptions): Promise<List<SessionResource>>
    /** All resources, fetched page by page. */
    iterate(session: string, options?: PageOptions): AsyncGenerator<SessionResource, void, undefined>
    /** Adds a file, the only kind that can be added. */
    add(session: string, file: NewFile): Promise<FileResource>
    get(session: string, resource: string): Promise<SessionResource>
    /** Replaces the authorization token of a repository. */
    rotate(session: string, resource: string, authorizationToken: string): Promise<SessionResource>
  }
  readonly events: { send(session: string, events: readonly NewSessionEvent[]): Promise<readonly SessionEvent[]> }
  readonly messages: {
    create(message: MessageRequest): Promise<Message>
    /** The server-sent events as they arrive, with the headers of the answer. */
    stream(message: MessageRequest): Promise<{ body: ReadableStream<Uint8Array>; headers: Headers }>
  }
  readonly keys: {
    list(options?: PageOptions): Promise<List<ApiKeyRecord>>
    iterate(options?: PageOptions): AsyncGenerator<ApiKeyRecord, void, undefined>
    get(key: string): Promise<ApiKeyRecord>
  }
  readonly workspaces: {
    list(options?: WorkspaceListOptions): Promise<List<WorkspaceRecord>>
    iterate(options?: WorkspaceListOptions): AsyncGenerator<WorkspaceRecord, void, undefined>
  }
}

/** Creates a client of the API. The limits of the specification are checked before anything is sent. */
export function createApi(connection: ApiConnection): Api {
  const get = async <Value>(path: string, parse: (value: unknown) => Value) =>
    readAnswer(await sendRequest(connection, { method: 'GET', path }), parse)
  const post = async <Value>(path: string, body: object, parse: (value: unknown) => Value) =>
    readAnswer(await sendRequest(connection, { method: 'POST', path, body: JSON.stringify(body) }), parse)
  const list = <Item>(path: string, parseItem: (item: unknown) => Item, options: WorkspaceListOptions = {}) =>
    get(path + renderQuery(options), (value) => parseList(value, parseItem))

  const listResources = (session: string, options?: PageOptions) =>
    list(renderResourcesPath(session), parseSessionResource, options)
  const listKeys = (options?: PageOptions) => list(apiPaths.keys, parseApiKey, options)
  const listWorkspaces = (options?: WorkspaceListOptions) => list(apiPaths.workspaces, parseWorkspace, options)

  return {
    resources: {
      list: async (session, options) => listResources(session, options),
      iterate: (session, options) => iteratePages((page) => listResources(session, page), options),
      add: async (session, file) => post(renderResourcesPath(session), toFileBody(file), parseFileResource),
      get: async (session, resource) => get(renderResourcePath(session, resource), parseSessionResource),
      rotate: async (session, resource, token) => {
        const body = { authorization_token: requireLength('authorization_token', token) }
        return post(renderResourcePath(session, resource), body, parseSessionResource)
      },
    },
    events: {
      send: async (session, events) => post(`${renderSessionPath(session)}/events`, { events }, parseSentEvents),
    },
    messages: {
      create: async (message) => post(apiPaths.messages, message, parseMessage),
      stream: async (message) => {
        const body = JSON.stringify({ ...message, stream: true })
        const response = await sendRequest(connection, { method: 'POST', path: apiPaths.messages, body })
        return { body: response.body ?? ReadableStream.from([]), headers: Object.fromEntries(response.headers) }
      },
    },
    keys: {
      list: async (options) => listKeys(options),
      iterate: (options) => iteratePages(listKeys, options),
      get: async (key) => get(`${apiPaths.keys}/${encodePathPart('api_key_id', key)}`, parseApiKey),
    },
    workspaces: {
      list: async (options) => listWorkspaces(options),
      iterate: (options) => iteratePages((page) => listWorkspaces({ ...options, ...page }), options),
    },
  }
}

interface WorkspaceListOptions extends PageOptions {
  readonly includeDefault?: boolean
}

interface NewFile {
  readonly file_id: string
  /** The path at which it is mounted; if absent, below `uploadsDirectory`, under its ID. */
  readonly mount_path?: string | null
}

function renderSessionPath(session: string): string {
  return `${apiPaths.sessions}/${encodePathPart('session_id', session)}`
}

function renderResourcesPath(session: string): string {
  return `${renderSessionPath(session)}/resources`
}

function renderQuery({ limit, page, includeDefault }: WorkspaceListOptions): string {
  const query = new URLSearchParams({
    ...(limit !== undefined && { limit: String(requireLimit(limit)) }),
    ...(page !== undefined && { page }),
    ...(includeDefault !== undefined && { include_default: String(includeDefault) }),
  })
  return query.size === 0 ? '' : `?${query}`
}

function toFileBody({ file_id, mount_path }: NewFile) {
  const path = mount_path == null ? {} : { mount_path: requireLength('mount_path', mount_path) }
  return { type: 'file', file_id: requireLength('file_id', file_id), ...path }
}

function renderResourcePath(session: string, resource: string): string {
  return `${renderResourcesPath(session)}/${encodePathPart('resource_id', resource)}`
}
