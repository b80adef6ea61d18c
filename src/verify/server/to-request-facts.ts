// The facts that a gateway states about the request that it asks about.

import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { parseRequestFacts, parseRequestHost, type RequestFacts } from '../policy/request-condition.ts'
import type { SenderFacts } from '../sender/sender-facts.ts'
import { isHeader } from './request-token.ts'

/** The headers in which the gateway describes the request. */
export interface RequestSource {
  readonly from: RequestDescription
  /** The header with the model's name, in lower case; absent if the gateway passes none. */
  readonly modelHeader?: string | undefined
  /** The header with the client certificate, in lower case; absent if the gateway passes none. */
  readonly certificateHeader?: string | undefined
}

/** A gateway's request for a decision. Over gRPC it states the host, and the address and certificate of the client, outside the headers. */
export type GatewayQuestion = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'> & {
  readonly host?: string | undefined
  readonly clientAddress?: string | undefined
  readonly certificate?: string | undefined
}

const readers = {
  /** Ignores the gateway's headers, because the caller may have set them. */
  nothing: () => ({}),
  /** Reads the headers that Traefik, Caddy and our recipes send. */
  'x-forwarded': ({ rawHeaders }) => ({
    host: findOnlyHeader(rawHeaders, 'x-forwarded-host'),
    method: findOnlyHeader(rawHeaders, 'x-forwarded-method'),
    path: findOnlyHeader(rawHeaders, 'x-forwarded-uri'),
  }),
  /** Envoy's `ext_authz` over HTTP repeats the method, path and host of the request itself. */
  'request-line': ({ rawHeaders, method, url, host }) => ({
    host: host ?? findOnlyHeader(rawHeaders, 'host'),
    method,
    path: url,
  }),
} as const satisfies Readonly<Record<string, (question: GatewayQuestion) => RequestFacts>>

/** The way in which a gateway describes a request. */
export type RequestDescription = keyof typeof readers

/** The names of the descriptions, as options take them. */
export const requestDescriptions = Object.keys(readers) as RequestDescription[] // the keys of a constant

/** Returns the facts about the request that the gateway asks about. */
export function toRequestFacts(question: GatewayQuestion, { from, modelHeader }: RequestSource): RequestFacts {
  const model = modelHeader === undefined ? undefined : findOnlyHeader(question.rawHeaders, modelHeader)
  return parseRequestFacts({ ...readers[from](question), model })
}

/** Finds the host of the request; `undefined` if the gateway does not state it, or states something else. */
export function findRequestHost(question: GatewayQuestion, { from }: RequestSource): string | undefined {
  const { host }: RequestFacts = readers[from](question)
  return host === undefined ? undefined : parseRequestHost(host)
}

/** The request as the gateway states it, not normalized, for the audit. */
interface RequestStatement extends Pick<RequestFacts, 'host' | 'method' | 'path'> {
  /** The address of the caller. */
  readonly client: string | undefined
}

/**
 * Returns the gateway's own statement about the request that it asks about; a fact that it does not state, or that the caller may have set,
 * is `undefined`.
 */
export function toRequestStatement(question: GatewayQuestion, { from }: RequestSource): RequestStatement {
  const client =
    from === 'x-forwarded' ? findOnlyHeader(question.rawHeaders, 'x-forwarded-for') : question.clientAddress
  return { client, ...readers[from](question) }
}

/** Finds the facts about the token's sender, and the proofs that the sender added. */
export function toSenderFacts(question: GatewayQuestion, source: RequestSource): SenderFacts {
  const { method, host, path } = toRequestStatement(question, source)
  const { rawHeaders } = question
  const { certificateHeader: header } = source
  const certificate = header === undefined ? question.certificate : findOnlyHeader(rawHeaders, header)
  return {
    certificate: certificate === undefined ? undefined : parseCertificate(certificate),
    proofs: rawHeaders.filter((_, at) => at % 2 === 1 && isHeader(rawHeaders[at - 1]!, 'dpop')),
    method,
    host,
    path,
  }
}

/**
 * Finds the value of a header; `undefined` if the header is missing or repeated. It reads the raw lines, because Node joins or drops
 * repeated headers.
 */
export function findOnlyHeader(rawHeaders: readonly string[], wanted: string): string | undefined {
  let value: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!isHeader(rawHeaders[at]!, wanted)) continue
    if (value !== undefined) return undefined
    value = rawHeaders[at + 1]
  }
  return value
}

/**
 * Parses a client certificate to its SHA-256 in base64url (RFC 8705, section 3.1). The gateway passes the certificate as PEM,
 * percent-encoded or with blanks as line breaks; as DER in base64, bare or between colons (RFC 9440); or as one element of Envoy's header
 * `x-forwarded-client-cert`. `undefined` for anything else, and for more than one certificate.
 */
function parseCertificate(text: string): string | undefined {
  const ofEnvoy = parseForwardedElement(text)
  if (ofEnvoy) return Buffer.from(ofEnvoy.hash, 'hex').toString('base64url')
  const decoded = decodePercent(text)
  const base64 = decoded === undefined ? undefined : findBase64(decoded)
  if (base64 === undefined) return undefined
  const der = Buffer.from(base64, 'base64')
  // The decoder ignores invalid characters, so the text must be what the encoder writes. A certificate is a sequence (X.690, section 8.9).
  const isWhole = der.toString('base64').replaceAll('=', '') === base64.replaceAll('=', '')
  return isWhole && der[0] === 0x30 ? hash('sha256', der, 'base64url') : undefined
}

/**
 * Parses the hash of an element such as `Hash=468ed33be74eee6556d90c0149c1309e9ba61d6425303443c0748a02dd8de688;Subject="CN=client"`.
 * Several elements come from several proxies, and the caller may have written the first.
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
