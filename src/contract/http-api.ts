/** The API version in requests (specification). */
export const apiVersion = '2023-06-01'

/** Paths of the platform's API, relative to its address. Those of keys and workspaces are ours. */
export const apiPaths = {
  messages: '/v1/messages',
  sessions: '/v1/sessions',
  keys: '/v1/organizations/api_keys',
  workspaces: '/v1/organizations/workspaces',
  tokenExchange: '/v1/oauth/token',
} as const

/** The directory in which the platform mounts a file without a path (specification). */
export const uploadsDirectory = '/mnt/session/uploads'

/** The beta feature in every request to a session's endpoints (specification). */
export const sessionBeta = 'managed-agents-2026-04-01'

/** The limits of a request (specification); lengths are in UTF-16 code units, and at least 1. */
export const apiLimits = {
  pageSize: 1000,
  fileIdLength: 128,
  mountPathLength: 4096,
  authorizationTokenLength: 4096,
} as const

/** The limits of the token exchange: an assertion in bytes, the life of the issued token in seconds. */
export const exchangeLimits = {
  assertionBytes: 16 * 1024,
  shortestLifeSec: 60,
  longestLifeSec: 86_400,
  defaultLifeSec: 3600,
} as const

/** Every beta feature that a request may name (specification). */
export const betaFeatures = [
  'message-batches-2024-09-24',
  'prompt-caching-2024-07-31',
  'computer-use-2024-10-22',
  'computer-use-2025-01-24',
  'pdfs-2024-09-25',
  'token-counting-2024-11-01',
  'token-efficient-tools-2025-02-19',
  'output-128k-2025-02-19',
  'files-api-2025-04-14',
  'mcp-client-2025-04-04',
  'mcp-client-2025-11-20',
  'dev-full-thinking-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'code-execution-2025-05-22',
  'extended-cache-ttl-2025-04-11',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'model-context-window-exceeded-2025-08-26',
  'skills-2025-10-02',
  'fast-mode-2026-02-01',
  'output-300k-2026-03-24',
  'user-profiles-2026-03-24',
  'user-profiles-2026-08-18',
  'user-profiles-2026-09-04',
  'advisor-tool-2026-03-01',
  sessionBeta,
  'cache-diagnosis-2026-04-07',
  'dreaming-2026-04-21',
  'thinking-token-count-2026-05-13',
  'server-side-fallback-2026-06-01',
  'server-side-fallback-2026-07-01',
  'fallback-credit-2026-06-01',
  'fallback-credit-2026-07-01',
  'agent-memory-2026-07-22',
  'mid-conversation-tool-changes-2026-07-01',
  'compact-2026-01-12',
  'computer-use-2025-11-24',
  'mcp-tunnels-2026-06-22',
  'structured-outputs-2025-11-13',
  'task-budgets-2026-03-13',
  'thinking-display-updates-2026-08-18',
  'ce-user-management-2026-07-13',
  'mid-conversation-output-config-2026-07-01',
  'thinking-binding-controls-2026-08-01',
  'mid-conversation-system-clear-at-2026-08-21',
  'compact-2026-09-04',
  'inline-tools-2026-09-15',
  'mcp-client-2026-09-15',
  'ce-plugins-2026-09-01',
  'spend-limit-reads-2026-09-26',
  'telemetry-destinations-2026-08-11',
] as const

/** The name of a beta feature that the API knows. */
export type BetaFeature = (typeof betaFeatures)[number]

const known: ReadonlySet<string> = new Set(betaFeatures)

export function isBetaFeature(name: string): name is BetaFeature {
  return known.has(name)
}

/** Every error status of the API, and its type in the envelope. */
export const errorTypes = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  413: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
} as const

/** A status with which a request can fail. */
export type ErrorStatus = keyof typeof errorTypes

/**
 * Creates the API's error envelope: the type and message of the error, and the id of the request. Specification.
 * @param more Further members of the error, such as the reason of a verifier's refusal.
 */
export function createErrorBody(
  type: string,
  message: string,
  requestId: string,
  more: Readonly<Record<string, string | undefined>> = {},
) {
  return { type: 'error', error: { type, message, ...more }, request_id: requestId }
}
