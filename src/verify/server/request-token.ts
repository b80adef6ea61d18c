// The only token among the headers of a request.

import { knownTokenHeaders } from '../../contract/headers.ts'
import { TokenRefusal, type Verdict } from '../verdict.ts'
import type { Verifier } from '../verifier/verifier.ts'

/** The headers in which a caller may send a credential or a DPoP proof, in lower case. Gateways remove them. */
export const credentialHeaders: readonly string[] = [...knownTokenHeaders.toSorted(), 'dpop']

/** A token that was sent with the scheme `DPoP` (RFC 9449, section 7.1). */
interface DpopToken {
  readonly dpop: string
}

/** Parses the one bearer token of a request, as {@link parseCredential} gives it. */
export function parseToken(rawHeaders: readonly string[], names: readonly string[]): string | TokenRefusal {
  const found = parseCredential(rawHeaders, names)
  if (typeof found === 'string' || found instanceof TokenRefusal) return found
  return new TokenRefusal('no-token', { note: 'it was sent with the scheme DPoP, and only bearer tokens are accepted' })
}

/** Parses the only token of a request, which contains only characters of tokens, or gives the refusal. */
function parseCredential(rawHeaders: readonly string[], names: readonly string[]): SentCredential {
  return toChecked(parseUnchecked(rawHeaders, names), names)
}

/** A bearer token, a DPoP token, or a refusal. */
type SentCredential = string | DpopToken | TokenRefusal

/**
 * Parses the only token of a request, from the headers of these names, in lower case. It reads the raw lines, because Node joins or drops
 * repeated headers. It does not check the characters: those of a token in the cache are known.
 * @returns The token, or the refusal if there is not exactly one.
 */
export function parseUnchecked(rawHeaders: readonly string[], names: readonly string[]): SentCredential {
  if (rawHeaders.length > 2 * maxHeaderLines)
    return new TokenRefusal('malformed', { note: `the request has more than ${maxHeaderLines} header lines` })
  let [token, isDpop]: [string | undefined, boolean] = [undefined, false]
  const seen: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = findHeaderName(rawHeaders[at]!, names)
    if (name === undefined) continue
    if (seen.includes(name)) return new TokenRefusal('several-tokens', { note: `${name} is there twice` })
    seen.push(name)
    const found = parseTokenHeader(name, rawHeaders[at + 1]!)
    if (typeof found !== 'string') return found
    if (found === '') continue
    if (token !== undefined && found !== token)
      return new TokenRefusal('several-tokens', { note: `${seen.join(' and ')} differ` })
    token = found
    isDpop ||= dpopScheme.test(rawHeaders[at + 1]!)
  }
  if (token !== undefined) return isDpop ? { dpop: token } : token
  return new TokenRefusal('no-token', { note: `there is no ${names.join(', nor ')} with a token` })
}

/** How many header lines a request may have. Node would silently drop further lines, and so could hide a second token. */
const maxHeaderLines = 200

/** Returns a token from {@link parseUnchecked}, or the refusal of one that contains characters which tokens do not have. */
export function toChecked(found: SentCredential, names: readonly string[]): SentCredential {
  if (found instanceof TokenRefusal) return found
  const token = typeof found === 'string' ? found : found.dpop
  if (/^[\x21-\x7e]*$/.test(token)) return found
  const note = `${names.join(' or ')} holds something else than one word of visible ASCII`
  return new TokenRefusal('malformed', { note })
}

/** Returns which of these names, in lower case, the header has. */
function findHeaderName(header: string, names: readonly string[]): string | undefined {
  for (const name of names) if (isHeader(header, name)) return name
  return undefined
}

/** Returns whether a header has a name, which is in lower case. The lengths are compared first, because a request has many headers. */
export function isHeader(header: string, name: string): boolean {
  return header.length === name.length && header.toLowerCase() === name
}

/** The headers that have a scheme (RFC 9110, section 11.4); in any other header the token may stand alone. */
const schemeHeaders = ['authorization', 'proxy-authorization']

/** Parses the token of one header; empty if the header is empty or has another scheme. */
function parseTokenHeader(name: string, value: string): string | TokenRefusal {
  const token = findAfterScheme(value) ?? (schemeHeaders.includes(name) ? '' : value)
  // A gateway that joins repeated headers separates them by a comma (RFC 9110, section 5.3).
  if (token.includes(',')) return new TokenRefusal('several-tokens', { note: `${name} holds a list` })
  return token
}

const [bearerScheme, dpopScheme] = [/^bearer /i, /^dpop /i]

/**
 * Finds the text after the scheme, without the spaces around it; `undefined` for another scheme. It is not a regular expression, because
 * trimming the end would take quadratic time with many spaces in the middle.
 */
function findAfterScheme(value: string): string | undefined {
  if (!bearerScheme.test(value) && !dpopScheme.test(value)) return undefined
  let [start, end] = [value.indexOf(' '), value.length]
  while (value[start] === ' ') start += 1
  while (end > start && value[end - 1] === ' ') end -= 1
  return value.slice(start, end)
}

/**
 * Verifies the only token of a request. Never rejects.
 * @param rawHeaders Names and values in turn, as in Node's `rawHeaders`, because its `headers` can lack a second token.
 * @param tokenHeaders The headers that may contain the token, in lower case.
 */
export async function verifyRequest(
  verifier: Verifier,
  rawHeaders: readonly string[],
  tokenHeaders: readonly string[] = ['authorization'],
): Promise<Verdict> {
  const token = parseToken(rawHeaders, tokenHeaders)
  return typeof token === 'string' ? verifier.verify(token) : { outcome: 'refused', refusal: token }
}
