import { vendor } from '../vendor.ts'

const hidden = '[secret]'

/**
 * A text without these secrets: whole, encoded, or in parts of at least eight characters, as a log that shows "the first
 * characters" does; and without what looks like a credential, whoever put it there.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const forms = secrets.filter((secret) => secret !== '').flatMap(formsOf)
  return hidePatterns(hideShort(hideParts(text, forms), forms))
}

/** Long enough that plain words rarely share it, short enough for the beginnings that logs show. */
const partLength = 8

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    encodeURIComponent(secret),
  ]
}

/** Marks every piece of the text that is also a piece of a secret. */
function hideParts(text: string, secrets: readonly string[]): string {
  const parts = new Set(secrets.flatMap((secret) => piecesOf(secret)))
  if (parts.size === 0) return text
  let shown = ''
  let hiddenUntil = 0
  for (let at = 0; at < text.length; at += 1) {
    const isPart = parts.has(text.slice(at, at + partLength))
    if (isPart && at >= hiddenUntil) shown += hidden
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
  return short.length === 0 ? text : text.replace(new RegExp(`(?<!\\w)(?:${short.join('|')})(?!\\w)`, 'g'), hidden)
}

/** `RegExp.escape` is not in every runtime that a bundle may meet. */
function escapePattern(text: string): string {
  return text.replace(/[^\w\s]/g, '\\$&')
}

/** What credentials look like, and what follows a word that announces one. Looking back is bounded: the text may be long. */
const patterns: readonly RegExp[] = [
  /eyJ[\w-]{5,}(?:\.[\w-]*){0,4}/g,
  /bedrock-api-key-[\w+/=-]+/g,
  new RegExp(`${escapePattern(vendor.keyPrefix)}[\\w-]{4,}`, 'g'),
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g,
  /(?<=\b(?:bearer|basic)\s{1,8})[^\s"',;]+/gi,
  announced('["\']?[=:]["\']?', '[^\\s"\',;]+'),
  announced('["\']\\s{0,8}[=:]\\s{0,8}["\']', '[^\\s"\',;]+'),
  // In a sentence, "no token: the keychain is locked" announces nothing.
  announced('\\s{0,8}[=:]\\s{1,8}', '(?=\\S*\\d)[^\\s"\',;]{6,}'),
  /(?<=--[\w-]{0,40}(?:token|secret|password|key)[\w-]{0,40}[ =])[^\s"',;]+/gi,
  // Anything long and mixed, but the identifier of a request is what a support ticket needs.
  /(?<![\w/+-])(?!(?:req_)?[0-9a-f]{8}-[0-9a-f]{4}-)(?=[\w+-]*\d)(?=[\w+-]*[A-Za-z])[\w+-]{32,}={0,2}/g,
]

function announced(between: string, value: string): RegExp {
  return new RegExp(`(?<=(?:token|secret|password|passwd|api[-_]?key|credential)${between})${value}`, 'gi')
}

function hidePatterns(text: string): string {
  return patterns.reduce((rest, pattern) => rest.replace(pattern, hidden), text)
}
