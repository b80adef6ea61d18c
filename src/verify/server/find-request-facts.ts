// The facts about a request that the gateway which asks states.

import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { parseRequestFacts, parseRequestHost, type RequestFacts } from '../policy/request-condition.ts'
import type { SenderFacts } from '../sender/sender-facts.ts'
import { isHeader } from './find-token.ts'

/** The places in which the gateway describes the request. */
export interface RequestSource {
  readonly from: RequestDescription
  /** The header with the name of the model, in lower case; absent if the gateway passes none. */
  readonly modelHeader?: string | undefined
  /** The header with the client certificate, in lower case; absent if the gateway passes none. */
  readonly certificateHeader?: string | undefined
}

/** The question of a gateway. Over gRPC it names the host, and the address and the certificate of the client, beside the headers. */
export type GatewayQuestion = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'> & {
  readonly host?: string | undefined
  readonly clientAddress?: string | undefined
  readonly certificate?: string | undefined
}

const readers = {
  /** Nothing that the gateway says is believed, because a caller may have said it. */
  nothing: () => ({}),
  /** Traefik and Caddy send these headers, and so do the recipes. */
  'x-forwarded': (_question: GatewayQuestion, find: FindHeader) => ({
    host: find('x-forwarded-host'),
    method: find('x-forwarded-method'),
    path: find('x-forwarded-uri'),
  }),
  /** Envoy's `ext_authz` asks with the method, the path and the host of the request itself. */
  'request-line': ({ method, url, host }: GatewayQuestion, find: FindHeader) => ({
    host: host ?? find('host'),
    method,
    path: url,
  }),
} as const satisfies Readonly<Record<string, (question: GatewayQuestion, find: FindHeader) => RequestFacts>>

type FindHeader = (name: string) => string | undefined

/** The way in which a gateway describes a request. */
export type RequestDescription = keyof typeof readers

/** The names of the ways, as options take them. */
export const requestDescriptions = Object.keys(readers) as RequestDescription[] // the keys of a constant

/** The facts about the request for which the gateway asks. */
export function findRequestFacts(question: GatewayQuestion, { from, modelHeader }: RequestSource): RequestFacts {
  const find = (name: string) => findOne(question.rawHeaders, name)
  const model = modelHeader === undefined ? undefined : find(modelHeader)
  return parseRequestFacts({ ...readers[from](question, find), model })
}

/** Finds the host of the request; `undefined` if the gateway does not show it, or shows something else. */
export function findRequestHost(question: GatewayQuestion, { from }: RequestSource): string | undefined {
  const { host }: RequestFacts = readers[from](question, (name) => findOne(question.rawHeaders, name))
  return host === undefined ? undefined : parseRequestHost(host)
}

/** The request as the gateway states it: for the audit, and so as it says it. */
interface RequestStatement extends Pick<RequestFacts, 'host' | 'method' | 'path'> {
  /** The address of the caller. */
  readonly client: string | undefined
}

/** The gateway's own statement about the request for which it asks; what it does not say, or a caller may have said, is `undefined`. */
export function findRequestStatement(question: GatewayQuestion, { from }: RequestSource): RequestStatement {
  const find = (name: string) => findOne(question.rawHeaders, name)
  const client = from === 'x-forwarded' ? find('x-forwarded-for') : question.clientAddress
  return { client, ...readers[from](question, find) }
}

/** Finds what the gateway shows about the sender of the token, and the sender's own proofs. */
export function findSender(question: GatewayQuestion, source: RequestSource): SenderFacts {
  const { method, host, path } = findRequestStatement(question, source)
  const { rawHeaders } = question
  const { certificateHeader: header } = source
  const certificate = header === undefined ? question.certificate : findOne(rawHeaders, header)
  return {
    certificate: certificate === undefined ? undefined : parseCertificate(certificate),
    proofs: rawHeaders.filter((_, at) => at % 2 === 1 && isHeader(rawHeaders[at - 1]!, 'dpop')),
    method,
    host,
    path,
  }
}

/** The value of a header, from the raw lines, because Node joins or drops repeated ones; `undefined` if it is missing or repeated. */
export function findOne(rawHeaders: readonly string[], wanted: string): string | undefined {
  let value: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!isHeader(rawHeaders[at]!, wanted)) continue
    if (value !== undefined) return undefined
    value = rawHeaders[at + 1]
  }
  return value
}

/**
 * The SHA-256 of a client certificate in base64url (RFC 8705, section 3.1), from what a gateway passes on: PEM, percent-encoded or
 * with blanks for its line breaks; DER in base64, bare or between colons (RFC 9440); or the header of Envoy,
 * `x-forwarded-client-cert`, with one element. `undefined` for anything else, and for more than one certificate.
 */
export function parseCertificate(text: string): string | undefined {
  const ofEnvoy = parseForwardedElement(text)
  if (ofEnvoy) return Buffer.from(ofEnvoy.hash, 'hex').toString('base64url')
  const decoded = decodePercent(text)
  const base64 = decoded === undefined ? undefined : findBase64(decoded)
  if (base64 === undefined) return undefined
  const der = Buffer.from(base64, 'base64')
  // The same text once more, so that nothing was left out of it. A certificate is a sequence (X.690, section 8.9).
  const isWhole = der.toString('base64').replaceAll('=', '') === base64.replaceAll('=', '')
  return isWhole && der[0] === 0x30 ? hash('sha256', der, 'base64url') : undefined
}

/**
 * The hash in an element such as `Hash=468ed33be74eee6556d90c0149c1309e9ba61d6425303443c0748a02dd8de688;Subject="CN=client"`. Several
 * elements are of several proxies, of which a caller may have been the first.
 */
function parseForwardedElement(text: string): { readonly hash: string } | undefined {
  const unquoted = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
  if (unquoted.includes(',') || unquoted.replaceAll('""', '').includes('"')) return undefined
  const hashes = unquoted.split(';').flatMap((pair) => /^\s*hash=([0-9a-f]{64})\s*$/i.exec(pair)?.[1] ?? [])
  return hashes.length === 1 ? { hash: hashes[0]! } : undefined
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined // not percent-encoded
  }
}

function findBase64(text: string): string | undefined {
  const [, pem, colons, bare] =
    /^\s*(?:-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----|:([A-Za-z0-9+/=]+):|([A-Za-z0-9+/=]+))\s*$/.exec(
      text,
    ) ?? []
  return (pem ?? colons ?? bare)?.replaceAll(/\s/g, '')
}
