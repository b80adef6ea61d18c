// The messages of Envoy's external authorization, from and to bytes.

import { validateHeaderValue } from 'node:http'
import protobuf from 'protobufjs/light.js'
import { refusalReasons } from '../../contract/refusal-reasons.ts'
import type { ProtectedResource } from '../policy/protected-resource.ts'
import type { Acceptance, TokenRefusal } from '../verdict.ts'
import {
  type CheckRequest,
  type CheckResponse,
  type HeaderValueOption,
  headerAppendAction,
  messageDescriptors,
  type Struct,
} from './envoy-messages.ts'
import { toRefusedAnswer } from './gateway-answer.ts'
import { credentialHeaders } from './request-token.ts'

const messages = protobuf.Root.fromJSON(messageDescriptors)

/** Parses a message by its full name. @throws for bytes that hold something else. */
export function parseMessage(name: string, bytes: Uint8Array): object {
  return messages.lookupType(name).decode(bytes)
}

/** Renders a message by its full name. */
export function renderMessage(name: string, message: object): Buffer {
  return Buffer.from(messages.lookupType(name).encode(message).finish())
}

const checkRequest = messages.lookupType('envoy.service.auth.v3.CheckRequest')
const checkResponse = messages.lookupType('envoy.service.auth.v3.CheckResponse')

/** The request that Envoy asks about, with the names and values of its headers in turn. */
interface CheckedRequest {
  readonly rawHeaders: string[]
  readonly method?: string | undefined
  /** The target of the request: path and query. */
  readonly url?: string | undefined
  readonly host?: string | undefined
  /** The certificate of the client, in PEM, percent-encoded; only with `include_peer_certificate`. */
  readonly certificate?: string | undefined
  /** The client's address, as Envoy determines it from the trusted proxies in front of it. */
  readonly clientAddress?: string | undefined
}

/**
 * Parses a `CheckRequest`. Envoy passes the headers as a map, in which lines of one name are joined by a comma, or with
 * `encode_raw_headers` as a list of lines.
 * @throws for bytes that are not a `CheckRequest`.
 */
export function parseCheckRequest(bytes: Uint8Array): CheckedRequest {
  const { attributes } = checkRequest.decode(bytes) as CheckRequest
  const { headers = {}, headerMap, method, path: url, host } = attributes?.request?.http ?? {}
  const lines: string[] = []
  for (const name in headers) lines.push(name, headers[name]!)
  // Latin-1, as Node decodes the bytes of a header.
  for (const { key = '', value = '', rawValue } of headerMap?.headers ?? [])
    lines.push(key, rawValue?.length ? Buffer.from(rawValue).toString('latin1') : value)
  const { certificate, address } = attributes?.source ?? {}
  const clientAddress = address?.socketAddress?.address
  return { rawHeaders: lines, method, url, host, clientAddress, certificate: certificate || undefined }
}

/**
 * Renders the changes that Envoy makes to an accepted request: it sets the headers that name the caller, and removes the credential and
 * every header of the policy that has no value, so that the caller cannot set it.
 * @param removed Further headers of this request that Envoy removes.
 * @throws for a value that a header cannot hold.
 */
export function renderAcceptance(
  { headers, rule, identity }: Acceptance,
  tokenHeaders: readonly string[],
  removed: readonly string[] = [],
): Buffer {
  const entries = Object.entries(headers)
  const filled = entries.filter(([, value]) => value !== '')
  const empty = entries.filter(([, value]) => value === '').map(([name]) => name)
  const names = new Set([...empty, ...tokenHeaders, ...credentialHeaders, 'cookie', ...removed])
  for (const [name] of filled) names.delete(name)
  return renderResponse({
    status: { code: 0 },
    okResponse: {
      headers: filled.map(toReplacement),
      headersToRemove: [...names],
    },
    dynamicMetadata: toStruct({ rule, issuer: identity.issuer, subject: identity.subject }),
  })
}

/**
 * Lists the headers of a request that a program behind the gateway could confuse with a header that names the caller, such as `x_user` with
 * `x-user`; usually none; pure.
 */
export function listMisspelled(lines: readonly string[], { headers }: Pick<Acceptance, 'headers'>): string[] {
  const found: string[] = []
  for (let at = 0; at < lines.length; at += 2) {
    const name = lines[at]!
    if (/^[a-z0-9-]*$/.test(name) || name.startsWith(':')) continue
    if (Object.hasOwn(headers, name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-'))) found.push(name)
  }
  return found
}

/** Renders the answer to a caller whose request is refused: the same answer as over HTTP. */
export function renderRefusal(refusal: TokenRefusal, requestId: string, resource?: ProtectedResource): Buffer {
  const { status, headers, body } = toRefusedAnswer(refusal, requestId, resource)
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]!] as const] : []))
  return renderResponse({
    status: { code: toStatusCode(status), message: refusalReasons[refusal.reason].summary },
    deniedResponse: {
      status: { code: status },
      // Envoy adds the content length itself.
      headers: pairs.filter(([name]) => name !== 'content-length').map(toReplacement),
      body,
    },
    dynamicMetadata: toStruct({ reason: refusal.reason, request: requestId }),
  })
}

function renderResponse(response: CheckResponse): Buffer {
  return Buffer.from(checkResponse.encode(response).finish())
}

/**
 * Returns a header that replaces any header of its name. Both fields are needed: newer versions of Envoy read `append_action`, whose
 * default would append, and older ones read `append`. Envoy reads only `value`, not `raw_value`.
 * @throws for a value that a header cannot hold.
 */
function toReplacement([key, value]: readonly [string, string]): HeaderValueOption {
  validateHeaderValue(key, value)
  return {
    header: { key, value },
    append: { value: false },
    appendAction: headerAppendAction.OVERWRITE_IF_EXISTS_OR_ADD,
  }
}

/** Returns the metadata that Envoy logs with `%DYNAMIC_METADATA(envoy.filters.http.ext_authz:subject)%`. */
function toStruct(facts: Readonly<Record<string, string>>): Struct {
  return {
    fields: Object.fromEntries(Object.entries(facts).map(([name, stringValue]) => [name, { stringValue }])),
  }
}

/** Returns the gRPC code of a refusal's HTTP status (`google/rpc/code.proto`). */
function toStatusCode(status: number): number {
  if (status === 401) return 16 // UNAUTHENTICATED
  if (status === 429) return 8 // RESOURCE_EXHAUSTED
  return status >= 500 ? 14 : 7 // UNAVAILABLE or PERMISSION_DENIED
}
