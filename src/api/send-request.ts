import { type Headers, mergeHeaders, toCredentialHeader } from '../contract/headers.ts'
import { apiPaths, apiVersion, sessionBeta } from '../contract/http-api.ts'
import { HelperError } from '../runtime/failure.ts'
import { type ResponseBound, readBounded } from '../runtime/network/bounded-body.ts'
import { secretMark } from '../runtime/secret.ts'
import { hideSecrets } from '../runtime/text/hide-secrets.ts'
import { parseJson } from '../runtime/values/json-value.ts'
import { vendor } from '../vendor.ts'
import { ApiError, type ApiProblem, parseProblem } from './api-error.ts'
import type { ApiConnection, ApiCredential } from './api-fetch.ts'
import { refuseUnknownFeatures, refuseUnsendable } from './check-request.ts'
import { addressHint, toSafeCode } from './safe-text.ts'
import { requireSecureUrl } from './secure-url.ts'

/**
 * Sends a request and returns its successful answer. After a 401 the source is asked once for another credential, and the
 * request is sent once more.
 * @throws {ApiError} for any other answer.
 * @throws {HelperError} if no answer comes, or when the credential would be sent over plain http.
 */
export async function sendRequest(connection: ApiConnection, request: ApiRequest): Promise<Response> {
  const url = requireSecureUrl(connection.baseUrl, request.path)
  refuseUnknownFeatures(connection.betas ?? [])
  const workspace = connection.workspaceId === undefined ? 'not-named' : 'named'
  const credential = await connection.credentials.current()
  const secrets = listSecrets(credential, request.body)
  const first = await attempt(connection, request, url, { ...credential, secrets })
  if (first.ok) return first
  const renewed = first.status === 401 ? await connection.credentials.renew() : undefined
  if (!renewed) throw await readProblem(first, { secrets, workspace })
  await first.body?.cancel()
  const all = [...secrets, ...listSecrets(renewed, request.body)]
  const second = await attempt(connection, request, url, { ...renewed, secrets: all })
  if (second.ok) return second
  throw await readProblem(second, { secrets: all, workspace })
}

interface ApiRequest {
  readonly method: string
  /** Begins with `/`; the query included. */
  readonly path: string
  /** JSON text. */
  readonly body?: string | undefined
}

/** Lists everything in a request that must not be printed if the answer repeats it. */
function listSecrets({ token, headers }: ApiCredential, body: string | undefined): string[] {
  const secretHeaders = Object.entries(headers).filter(
    ([name, value]) => isSecretName(name) || value.length >= secretLength,
  )
  return [token.reveal(), ...secretHeaders.map(([, value]) => value), ...listSecretMembers(parseJson(body ?? ''))]
}

/** Returns whether the value of a header or member with this name must not be printed. */
function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** Names of headers and members whose values are secrets. */
const secretName = /token|secret|password|key|auth|cookie|credential|assertion/i

/** A header value of this many characters may be a secret whatever its name; a shorter one may be a plain word. */
const secretLength = 8

function listSecretMembers(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' ? (isSecretName(name) ? [member] : []) : listSecretMembers(member),
  )
}

/** Redirects are not followed, because the credential would be sent to another server. */
async function attempt(
  { fetch, onExchange, ...connection }: ApiConnection,
  request: ApiRequest,
  url: URL,
  { secrets, ...credential }: ApiCredential & { readonly secrets: readonly string[] },
): Promise<Response> {
  const { method, body } = request
  const protocol = createProtocolHeaders(connection, url, request)
  const headers = mergeHeaders(
    mergeHeaders(credential.headers, protocol),
    toCredentialHeader(credential.scheme, credential.token.reveal()),
  )
  refuseUnsendable(headers)
  const response = await fetch(url.href, { method, headers, redirect: 'manual', ...(body !== undefined && { body }) })
  onExchange?.({
    method,
    url: url.href,
    sent: mergeHeaders(
      convertValues(credential.headers, (value, name) => (isSecretName(name) ? secretMark : value)),
      { ...protocol, ...convertValues(toCredentialHeader(credential.scheme, ''), () => secretMark) },
    ),
    status: response.status,
    received: convertValues(Object.fromEntries(response.headers), (value) => hideSecrets(value, secrets)),
  })
  return response
}

function createProtocolHeaders(
  { workspaceId, betas = [] }: Pick<ApiConnection, 'workspaceId' | 'betas'>,
  { pathname }: URL,
  { method, body }: ApiRequest,
): Headers {
  const features = pathname.includes(`${apiPaths.sessions}/`) ? [...new Set([sessionBeta, ...betas])] : betas
  return {
    accept: 'application/json',
    [vendor.versionHeader]: apiVersion,
    ...(features.length > 0 && { [vendor.betaHeader]: features.join(',') }),
    ...(workspaceId !== undefined && { [vendor.workspaceHeader]: workspaceId }),
    ...((body !== undefined || method === 'POST') && { 'content-type': 'application/json' }),
  }
}

interface RefusedRequest extends Pick<ApiProblem, 'workspace'> {
  /** Values of the request that must not be printed: the answer may repeat them. */
  readonly secrets: readonly string[]
}

function convertValues(headers: Headers, show: (value: string, name: string) => string): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, show(value, name)]))
}

/** Reads an answer with an error status. */
async function readProblem(response: Response, { secrets, workspace }: RefusedRequest): Promise<ApiError> {
  const { requestId = toSafeCode(response.headers.get('request-id'), secrets), ...problem } = parseProblem(
    await readText(response),
    secrets,
  )
  return new ApiError({ ...problem, status: response.status, requestId, workspace })
}

/** The bound of an answer with an error, far above the length of every error. */
const problemBound: ResponseBound = { bytes: 1024 * 1024, sec: 30, hint: addressHint }

/** Reads the text of the body; empty where it breaks off or is beyond the bound, because the status is an answer by itself. */
async function readText(response: Response): Promise<string> {
  try {
    return (await readBounded(response, 'the API', problemBound)).toString()
  } catch (error) {
    if (error instanceof HelperError) return ''
    throw error
  }
}
