import { secretMark } from '../secret.ts'

/** A JSON Web Token (RFC 7519), whole or cut off. */
export const jwtPattern = /eyJ[\w-]{5,}(?:\.[\w-]*){0,4}/g

/**
 * Replaces these secrets in a text: whole, encoded, or in parts of at least eight characters, because some logs show the first
 * characters of a token.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  if (text === '') return text
  const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(listForms))]
  return hideShort(hideParts(text, forms), forms)
}

/** In characters: long enough that plain words rarely contain a part, and short enough to find the beginnings in logs. Our decision. */
const partLength = 8

function listForms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    ...listBase64Forms(bytes).flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]),
    bytes.toString('hex'),
    encodeURIComponent(secret.toWellFormed()),
  ]
}

/**
 * Lists the forms of a secret in base64. It encodes three bytes at a time, so a secret after a prefix such as `user:` has other characters.
 */
function listBase64Forms(secret: Buffer): string[] {
  const shifted = [1, 2].map((before) =>
    // The first character also holds bits of the prefix.
    Buffer.concat([Buffer.alloc(before), secret])
      .toString('base64')
      .slice(before + 1),
  )
  return [secret.toString('base64'), ...shifted.filter((form) => form.length >= partLength)]
}

/** Replaces every part of the text that is also a part of a secret. */
function hideParts(text: string, secrets: readonly string[]): string {
  const parts = listSharedParts(text, secrets)
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

/**
 * Lists the parts that a text and the secrets have in common. The table is made from the text, because it is short and secrets are not: a
 * check of a helper hides dozens of tokens of 64 KiB in a text that is mostly one line. The secrets are read once.
 */
function listSharedParts(text: string, secrets: readonly string[]): Set<string> {
  const shared = new Set<string>()
  const count = Math.max(0, text.length - partLength + 1)
  const own = new Set(Array.from({ length: count }, (_, at) => text.slice(at, at + partLength)))
  if (own.size === 0) return shared
  const slots = new Uint8Array(Math.max(minSlots, 2 ** Math.ceil(Math.log2(own.size * slotsPerPart))))
  const shift = Math.clz32(slots.length) + 1
  for (const part of own) slots[toSlot(computeHash(part), shift)] = 1
  for (const secret of secrets)
    for (const at of listCandidates(secret, slots, shift)) {
      const part = secret.slice(at, at + partLength)
      if (own.has(part)) shared.add(part)
    }
  return shared
}

/** Enough slots that parts rarely share one, and few enough for a processor's cache. */
const slotsPerPart = 32

/** The slots of even a short text, because only few of a secret's millions of parts may share a slot with the text's parts. */
const minSlots = 2 ** 15

/** Lists the positions in a secret at which a part may be shared. Each hash is computed from the previous one. */
function listCandidates(secret: string, slots: Uint8Array, shift: number): number[] {
  const found: number[] = []
  const bytes = Buffer.from(secret, 'latin1') // reading these takes a fraction of the time that `charCodeAt` takes
  let hash = computeHash(secret.slice(0, partLength - 1))
  for (let end = partLength - 1; end < bytes.length; end += 1) {
    const at = end - partLength + 1
    hash = (Math.imul(hash, hashBase) + bytes[end]!) | 0
    if (slots[toSlot(hash, shift)] === 1) found.push(at)
    hash = (hash - Math.imul(bytes[at]!, leftFactor)) | 0
  }
  return found
}

/** Takes the upper bits of a product, in which every bit of the hash counts (Knuth, The Art of Computer Programming, section 6.4). */
function toSlot(hash: number, shift: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> shift
}

/**
 * Computes the hash of a part, of which only the lower byte of each character counts, because the bytes of a secret have no more. Equal
 * parts are compared afterwards.
 */
function computeHash(part: string): number {
  let hash = 0
  for (let at = 0; at < part.length; at += 1) hash = (Math.imul(hash, hashBase) + (part.charCodeAt(at) & 0xff)) | 0
  return hash
}

const hashBase = 0x01000193

/** The factor by which the first character of a part has been multiplied. */
const leftFactor = Array.from({ length: partLength - 1 }).reduce<number>((power) => Math.imul(power, hashBase), 1)

/** Replaces a short secret, such as a tenant's name in a header, where it is a whole word. */
function hideShort(text: string, secrets: readonly string[]): string {
  const short = secrets.filter((secret) => secret.length < partLength).map(escapePattern)
  return short.length === 0 ? text : text.replace(new RegExp(`(?<!\\w)(?:${short.join('|')})(?!\\w)`, 'g'), secretMark)
}

/** Replaces user and password of every URL in a text, and its query and fragment, in which a key may be. */
export function hideUrlSecrets(text: string): string {
  return text.replace(urlUser, secretMark).replace(urlQuery, secretMark)
}

/**
 * The user and password of a URL. A password may have any character, encoded or not, but a number after a colon is a port before a path.
 */
const urlUser = /(?<=:\/\/)(?:[^\s/:@"']{1,256}:(?!\d{1,5}\/)[^\s"']{0,256}|[^\s/?#"'@]{1,256})(?=@)/g

/** The query of a URL. It does not match the mark with which `renderUrl` replaces a query. */
const urlQuery = /(?<=\bhttps?:\/\/[^\s?#"']{1,300}[?#])(?!…)[^\s"'<>]+/gi

/** Escapes a text for a pattern. `RegExp.escape` is missing in Node 22, on which bundles run. */
export function escapePattern(text: string): string {
  return text.replace(/[^\w\s]/g, '\\$&')
}
