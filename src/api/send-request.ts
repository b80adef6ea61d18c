import type { Headers } from '../contract/headers.ts'
import { mergeHeaders } from '../contract/headers.ts'
import { apiVersion, sessionBeta } from '../contract/http-api.ts'
import { vendor } from '../vendor.ts'
import type { ApiConnection, ApiCredential } from './api-connection.ts'
import { ApiError } from './api-error.ts'
import { parseProblem } from './parse-problem.ts'
import { demandSecureUrl } from './secure-url.ts'

export interface ApiRequest {
  readonly method: string
  /** Begins with `/`; the query included. */
  readonly path: string
  /** JSON text. */
  readonly body?: string | undefined
}

/**
 * Sends a request and gives its successful answer. After a 401 the source is asked once for another credential, and the
 * request is repeated once.
 * @throws {ApiError} for any other answer.
 * @throws {HelperError} when there is none, or when the credential would travel in the clear.
 */
export async function sendRequest(connection: ApiConnection, request: ApiRequest): Promise<Response> {
  const url = demandSecureUrl(connection.baseUrl, request.path)
  const credential = await connection.credentials.current()
  const first = await attempt(connection, request, url, credential)
  if (first.ok) return first
  const renewed = first.status === 401 ? await connection.credentials.renew() : undefined
  if (!renewed) throw await readProblem(first, connection, credential)
  await first.body?.cancel()
  const second = await attempt(connection, request, url, renewed)
  if (second.ok) return second
  throw await readProblem(second, connection, renewed)
}

/** Redirects are not followed: they would carry the credential elsewhere. */
async function attempt(
  { fetch, onExchange, ...connection }: ApiConnection,
  { method, body }: ApiRequest,
  url: URL,
  credential: ApiCredential,
): Promise<Response> {
  const open = protocolHeaders(connection, url, body)
  const headers = mergeHeaders(mergeHeaders(credential.headers, open), authorize(credential))
  const response = await fetch(url.href, { method, headers, redirect: 'manual', ...(body !== undefined && { body }) })
  onExchange?.({
    method,
    url: url.href,
    sent: mergeHeaders(credential.headers, { ...open, [schemeHeaders[credential.scheme]]: '[secret]' }),
    status: response.status,
    received: Object.fromEntries(response.headers),
  })
  return response
}

const schemeHeaders = { bearer: 'authorization', 'x-api-key': 'x-api-key' } as const

function authorize({ token, scheme }: ApiCredential): Headers {
  return { [schemeHeaders[scheme]]: scheme === 'bearer' ? `Bearer ${token.reveal()}` : token.reveal() }
}

function protocolHeaders(
  { workspaceId, betas = [] }: Pick<ApiConnection, 'workspaceId' | 'betas'>,
  { pathname }: URL,
  body: string | undefined,
): Headers {
  const features = pathname.includes('/v1/sessions/') ? [...new Set([sessionBeta, ...betas])] : betas
  return {
    accept: 'application/json',
    [vendor.versionHeader]: apiVersion,
    ...(features.length > 0 && { [vendor.betaHeader]: features.join(',') }),
    ...(workspaceId !== undefined && { [vendor.workspaceHeader]: workspaceId }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
}

async function readProblem(
  response: Response,
  { workspaceId }: ApiConnection,
  { token }: ApiCredential,
): Promise<ApiError> {
  const {
    message,
    requestId = response.headers.get('request-id') ?? undefined,
    ...rest
  } = parseProblem(await response.text())
  return new ApiError({
    ...rest,
    status: response.status,
    message: message.replaceAll(token.reveal(), '[secret]'),
    requestId,
    workspace: workspaceId === undefined ? 'not-named' : 'named',
  })
}
