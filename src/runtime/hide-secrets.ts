import { secretMark } from './secret.ts'

/**
 * Replaces these secrets in a text: whole, encoded, or in parts of at least eight characters, because some logs show the first
 * characters of a token.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.filter((secret) => secret !== '').flatMap(formsOf)
  return hideShort(hideParts(text, forms), forms)
}

/** In characters: so long that plain words rarely contain a part, and so short that beginnings in logs are found. */
const partLength = 8

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    ...(['base64', 'base64url'] as const).flatMap((encoding) => base64FormsOf(bytes, encoding)),
    bytes.toString('hex'),
    encodeURIComponent(secret.toWellFormed()),
  ]
}

/** Base64 encodes three bytes at a time, so that a secret behind a prefix such as `user:` looks different. */
function base64FormsOf(secret: Buffer, encoding: 'base64' | 'base64url'): string[] {
  const shifted = [1, 2].map((before) =>
    // The first character holds bits of the prefix, too.
    Buffer.concat([Buffer.alloc(before), secret])
      .toString(encoding)
      .slice(before + 1),
  )
  return [secret.toString(encoding), ...shifted.filter((form) => form.length >= partLength)]
}

/** Replaces every part of the text that is also a part of a secret. */
function hideParts(text: string, secrets: readonly string[]): string {
  const parts = new Set(secrets.flatMap((secret) => piecesOf(secret)))
  if (parts.size === 0) return text
  let shown = ''
  let hiddenUntil = 0
  for (let at = 0; at < text.length; at += 1) {
    const isPart = parts.has(text.slice(at, at + partLength))
    if (isPart && at >= hiddenUntil) shown += secretMark
    if (isPart) hiddenUntil = at + partLength
    if (at >= hiddenUntil) shown += text[at]
  }
  return shown
}

function piecesOf(secret: string): string[] {
  const count = Math.max(0, secret.length - partLength + 1)
  return Array.from({ length: count }, (_, at) => secret.slice(at, at + partLength))
}

/** Replaces a short secret, such as a tenant's name in a header, where it is a whole word. */
function hideShort(text: string, secrets: readonly string[]): string {
  const short = secrets.filter((secret) => secret.length < partLength).map(escapePattern)
  return short.length === 0 ? text : text.replace(new RegExp(`(?<!\\w)(?:${short.join('|')})(?!\\w)`, 'g'), secretMark)
}

/** Replaces user and password of every URL in a text, and its query and fragment, in which a key may be. */
export function hideUrlSecrets(text: string): string {
  return text.replace(urlUser, secretMark).replace(urlQuery, secretMark)
}

/** A password may hold any character, encoded or not; after a colon and a number, though, begins a path. */
const urlUser = /(?<=:\/\/)(?:[^\s/:@"']{1,256}:(?!\d{1,5}\/)[^\s"']{0,256}|[^\s/?#"'@]{1,256})(?=@)/g

/** Not the mark that `renderUrl` leaves of a query. */
const urlQuery = /(?<=\bhttps?:\/\/[^\s?#"']{1,300}[?#])(?!…)[^\s"'<>]+/gi

/** A text as a pattern that matches it. `RegExp.escape` is missing in Node 22, on which bundles run. */
export function escapePattern(text: string): string {
  return text.replace(/[^\w\s]/g, '\\$&')
}
