import { type ClaimPath, findClaim, parseClaimPath, toClaimText } from '../../runtime/tokens/claim-path.ts'

/** The value of a header: texts as they are, and claims that are filled in. */
export type ClaimTemplate = readonly TemplatePart[]

type TemplatePart = string | { readonly claim: ClaimPath; readonly isOptional: boolean }

/** `{email}`, or `{email?}` for a claim that may be missing. */
const piece = /\{([^{}?]+)(\??)\}|[^{}]+/y

/** Parses a template such as `{email}` or `{realm_access.roles?}`; `undefined` where a brace is not part of one or a claim has no such form. */
export function parseHeaderTemplate(text: string): ClaimTemplate | undefined {
  const parts: TemplatePart[] = []
  let at = 0
  while (at < text.length) {
    piece.lastIndex = at
    const [found, name, mark] = piece.exec(text) ?? []
    if (found === undefined) return undefined
    const claim = name === undefined ? undefined : parseClaimPath(name)
    if (name !== undefined && claim === undefined) return undefined
    parts.push(claim ? { claim, isOptional: mark === '?' } : found)
    at += found.length
  }
  return parts
}

/** The claims that a template fills in. */
export function listTemplateClaims(template: ClaimTemplate): Exclude<TemplatePart, string>[] {
  return template.filter((part) => typeof part !== 'string')
}

/** Fills a template in: returns a value that can be sent, or the missing claims. */
export function renderHeaderTemplate(
  template: ClaimTemplate,
  claims: Readonly<Record<string, unknown>>,
): { readonly value: string } | { readonly missing: readonly ClaimPath[] } {
  const missing: ClaimPath[] = []
  const texts = template.map((part) => {
    if (typeof part === 'string') return part
    const text = renderClaim(findClaim(claims, part.claim))
    if (text === '' && !part.isOptional) missing.push(part.claim)
    return text
  })
  return missing.length > 0 ? { missing } : { value: texts.join('') }
}

/** Empty for a claim that is missing, empty, an object, or a list with an item that has no text. */
function renderClaim(value: unknown): string {
  const texts = (Array.isArray(value) ? value : [value]).map(toClaimText)
  return texts.every((text) => text !== undefined && text !== '' && text.isWellFormed())
    ? texts.map((text) => encodeText(text!)).join(',')
    : ''
}

/**
 * Everything but visible ASCII and single spaces within a text is percent-encoded as UTF-8, so that no claim can begin another
 * header or be lost on the way; and so are `%` and `,`, so that whoever decodes gets what the claim holds, item by item.
 */
function encodeText(text: string): string {
  return text.replace(/^ | $|[%,]|[^\x20-\x7e]+/gu, encodeExactly)
}

function encodeExactly(text: string): string {
  return text === ',' ? '%2C' : encodeURIComponent(text)
}

/**
 * Whether a pattern matches a whole text; `*` stands for any text, also an empty one, and everything else for itself. Each piece between
 * two stars is searched for once, after the end of the piece before it, so that no pattern makes a search long.
 */
export function matchPattern(pattern: string, text: string): boolean {
  const [start = '', ...pieces] = pattern.split('*')
  const end = pieces.pop()
  if (end === undefined) return pattern === text
  if (!text.startsWith(start) || !text.endsWith(end) || text.length < start.length + end.length) return false
  const middle = text.slice(start.length, text.length - end.length)
  let at = 0
  for (const piece of pieces) {
    const found = middle.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return true
}

/** Whether a pattern matches every text. */
export function isMatchAll(pattern: string): boolean {
  return /^\*+$/.test(pattern)
}
