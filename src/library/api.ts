/**
 * The exports of `gatepass/api`: the typed client of the HTTP API, the token exchange, and the network that both use. Like
 * `client.ts` it only names what others define.
 */
export type { ApiKeyRecord, WorkspaceRecord } from '../api/administration.ts'
export { ApiError } from '../api/api-error.ts'
export type { ApiConnection, ApiCredential, ApiCredentialSource, SendRequest } from '../api/api-fetch.ts'
export { createApiFetch } from '../api/api-fetch.ts'
export { type Api, createApi } from '../api/create-api.ts'
export type { List, PageOptions } from '../api/list.ts'
export type { ContentBlock, Message, MessageRequest, NewSessionEvent, SessionEvent } from '../api/session-event.ts'
export {
  type FileResource,
  type GitRepositoryResource,
  isKnownResource,
  type KnownResource,
  type MemoryStoreResource,
  type SessionResource,
} from '../api/session-resource.ts'
export {
  type ExchangeContext,
  type ExchangedToken,
  type ExchangeRequest,
  exchangeToken,
} from '../api/token-exchange.ts'
export { type FailureKind, HelperError } from '../runtime/failure.ts'
export { type NetworkOptions, type NetworkSettings, toNetworkSettings } from '../runtime/network/settings.ts'
export { Secret } from '../runtime/secret.ts'
