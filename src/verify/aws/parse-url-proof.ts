import { longestUrlProofBytes } from '../../contract/aws/caller-identity.ts'
import {
  decodeCanonical,
  type ProofAddress,
  type ProofParts,
  parseAddress,
  type SignatureClaim,
} from './proof-check.ts'

/** A parsed proof in the form of a URL. */
export interface UrlParts extends ProofParts {
  /** The text after the prefix; `undefined` if the prefix is missing. */
  readonly encoded: string | undefined
  readonly text: string | undefined
  /** The values by their names; `undefined` if the query is not accepted. */
  readonly parameters: ReadonlyMap<string, string> | undefined
}

/** Parses a URL in base64url after a prefix. A proof that is too large is not parsed; pure. */
export function parseUrlProof(token: string, prefix: string): UrlParts {
  const bytes = Buffer.byteLength(token)
  const isRead = bytes <= longestUrlProofBytes && token.startsWith(prefix)
  const encoded = isRead ? token.slice(prefix.length) : undefined
  const text = encoded === undefined ? undefined : decodeCanonical(encoded, 'base64url')
  const address = text === undefined ? undefined : parseAddress(text)
  const parameters = address && !validateQuery(address) ? new Map(toPairs(address)) : undefined
  return { bytes, encoded, text, address, parameters, claim: parameters && toClaim(parameters) }
}

/** The parameters of a proof, as AWS spells them. */
const known = [
  ...['Action', 'Version'],
  ...['Algorithm', 'Credential', 'Date', 'Expires', 'Security-Token', 'Signature', 'SignedHeaders'].map(
    (name) => `X-Amz-${name}`,
  ),
]

/**
 * AWS escapes no character of a name, and only some of a value. Any other spelling is rejected, because parsers could read it differently.
 */
const pair = /^([A-Za-z0-9-]+)=((?:[\w.~-]|%[0-9A-Fa-f]{2})*)$/

/** The problem of a proof's query, in words. */
export function validateQuery({ query = '' }: ProofAddress): string | undefined {
  const texts = query.split('&')
  if (texts.some((text) => !isDecodable(text))) return 'the query is malformed'
  const names = texts.map((text) => text.split('=')[0]!)
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return 'the query has a parameter twice'
  // AWS STS recognizes these names only in this letter case.
  return names.every((name) => known.includes(name)) ? undefined : 'the query has a parameter that no proof has'
}

function isDecodable(text: string): boolean {
  if (!pair.test(text)) return false
  try {
    return /^[\x20-\x7e]*$/.test(decodeURIComponent(text))
  } catch {
    return false // not UTF-8
  }
}

function toPairs({ query = '' }: ProofAddress): [name: string, value: string][] {
  return query.split('&').map((text) => {
    const [, name = '', value = ''] = pair.exec(text) ?? []
    return [name, decodeURIComponent(value)]
  })
}

function toClaim(parameters: ReadonlyMap<string, string>): SignatureClaim {
  return {
    algorithm: parameters.get('X-Amz-Algorithm'),
    credential: parameters.get('X-Amz-Credential'),
    date: parameters.get('X-Amz-Date'),
    signedHeaders: parameters.get('X-Amz-SignedHeaders')?.split(';') ?? [],
    signature: parameters.get('X-Amz-Signature'),
  }
}
