/** What stands in the place of a secret. */
export const secretMark = '[secret]'

/**
 * A text without these secrets: whole, encoded, or in parts of at least eight characters, as a log that shows "the first
 * characters" does.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.filter((secret) => secret !== '').flatMap(formsOf)
  return hideShort(hideParts(text, forms), forms)
}

/** Long enough that plain words rarely share it, short enough for the beginnings that logs show. */
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

/** Behind something else, such as `user:`, three bytes are cut at another place, and every letter is another. */
function base64FormsOf(secret: Buffer, encoding: 'base64' | 'base64url'): string[] {
  const shifted = [1, 2].map((before) =>
    // The letter that holds bits of both is not the secret's alone.
    Buffer.concat([Buffer.alloc(before), secret])
      .toString(encoding)
      .slice(before + 1),
  )
  return [secret.toString(encoding), ...shifted.filter((form) => form.length >= partLength)]
}

/** Marks every piece of the text that is also a piece of a secret. */
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

/** A short value, such as a tenant's name in a header, is hidden where it stands as a word of its own. */
function hideShort(text: string, secrets: readonly string[]): string {
  const short = secrets.filter((secret) => secret.length < partLength).map(escapePattern)
  return short.length === 0 ? text : text.replace(new RegExp(`(?<!\\w)(?:${short.join('|')})(?!\\w)`, 'g'), secretMark)
}

/** `RegExp.escape` is not in every runtime that a bundle may meet. */
export function escapePattern(text: string): string {
  return text.replace(/[^\w\s]/g, '\\$&')
}
