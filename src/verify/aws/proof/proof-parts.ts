/** A proof taken apart, as far as it can be: what could not be read is `undefined`. */
export interface ProofParts {
  readonly bytes: number
  readonly address: Address | undefined
  readonly claim: SignatureClaim | undefined
}

/** The address of a request, as it is spelled. */
export interface Address {
  /** The whole text. */
  readonly text: string
  readonly scheme: string
  /** All between the slashes and the path, with what no host has: user, password, port. */
  readonly authority: string
  readonly path: string
  /** Without `?`; `undefined` where there is none. */
  readonly query: string | undefined
  readonly fragment: string | undefined
}

/** What a signed request says of its signature (Signature Version 4); what it does not say is `undefined`. */
export interface SignatureClaim {
  readonly algorithm: string | undefined
  /** The id of the access key, then the day, region and service. */
  readonly credential: string | undefined
  readonly date: string | undefined
  readonly signedHeaders: readonly string[]
  readonly signature: string | undefined
}

/** Parses an absolute address of visible ASCII without repairing anything, as every parser of URLs does in its own way. */
export function parseAddress(text: string): Address | undefined {
  if (!/^[\x21-\x7e]+$/.test(text)) return undefined
  const parts = /^([A-Za-z][\w+.-]*):\/\/([^/?#\\]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(text)
  if (!parts) return undefined
  const [, scheme = '', authority = '', path = '', query, fragment] = parts
  return { text, scheme, authority, path, query, fragment }
}

/** The text that was encoded; `undefined` for any other spelling of the same bytes than the one that an encoder gives. */
export function decodeCanonical(text: string, encoding: 'base64' | 'base64url'): string | undefined {
  const bytes = Buffer.from(text, encoding)
  return bytes.toString(encoding) === text && text !== '' ? bytes.toString('utf8') : undefined
}
