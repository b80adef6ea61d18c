import {
  type ClaimPath,
  findClaim,
  listClaimTexts,
  parseClaimPath,
  toClaimText,
} from '../../runtime/tokens/claim-path.ts'

/** The value of a header: texts as they are, and claims that are filled in. */
export type ClaimTemplate = readonly TemplatePart[]

/** A claim that a template fills in. */
export interface ClaimPart {
  readonly claim: ClaimPath
  readonly isOptional: boolean
  /** Set if the names of a map take the place of the claim's values. */
  readonly map?: ValueMap
}

/** The names that the server behind the gateway knows, by the value of a claim. */
interface ValueMap {
  readonly name: string
  readonly names: ReadonlyMap<string, string>
  /** A value without a name is left out as if the claim did not have it, or its rule does not hold. */
  readonly unlisted: 'left out' | 'refused'
}

/** The value maps of a policy, by the names that templates give them. */
export type ValueMaps = ReadonlyMap<string, ValueMap>

/** `{email}`, `{email?}` for a claim that may be missing, or `{groups|teams}` for the names of a value map. */
const piece = /\{([^{}?]+?)(?:\|([\w-]+))?(\??)\}|[^{}]+/y

/**
 * Parses a template such as `{email}`, `{realm_access.roles?}` or `{groups|teams}`; `undefined` where a brace is not part of one or a claim
 * has no such form. A map that is not among the given ones has no names.
 */
export function parseHeaderTemplate(text: string, maps: ValueMaps = new Map()): ClaimTemplate | undefined {
  const parts: TemplatePart[] = []
  let at = 0
  while (at < text.length) {
    piece.lastIndex = at
    const [found, name, map, mark] = piece.exec(text) ?? []
    if (found === undefined) return undefined
    const claim = name === undefined ? undefined : parseClaimPath(name)
    if (name !== undefined && claim === undefined) return undefined
    const ofMap = map === undefined ? {} : { map: maps.get(map) ?? createEmptyMap(map) }
    parts.push(claim ? { claim, isOptional: mark === '?', ...ofMap } : found)
    at += found.length
  }
  return parts
}

type TemplatePart = string | ClaimPart

function createEmptyMap(name: string): ValueMap {
  return { name, names: new Map(), unlisted: 'refused' }
}

/** The claims that a template fills in. */
export function listTemplateClaims(template: ClaimTemplate): ClaimPart[] {
  return template.filter((part) => typeof part !== 'string')
}

/** Fills a template in: returns a value that can be sent, or the missing claims. */
export function renderHeaderTemplate(
  template: ClaimTemplate,
  claims: Readonly<Record<string, unknown>>,
): { readonly value: string } | { readonly missing: readonly ClaimPart[] } {
  const missing: ClaimPart[] = []
  const texts = template.map((part) => {
    if (typeof part === 'string') return part
    const value = findClaim(claims, part.claim)
    const text = part.map ? renderNames(value, part.map) : renderClaim(value)
    if (text === undefined || (text === '' && !part.isOptional)) missing.push(part)
    return text
  })
  return missing.length > 0 ? { missing } : { value: texts.join('') }
}

/** Each name once. `undefined` if the rule does not hold, because a value has no name; empty as in {@link renderClaim}. */
function renderNames(value: unknown, { names, unlisted }: ValueMap): string | undefined {
  if (renderClaim(value) === '') return ''
  const found = listClaimTexts(value).map((text) => names.get(text))
  if (unlisted === 'refused' && found.includes(undefined)) return undefined
  return renderClaim([...new Set(found.filter((name) => name !== undefined))])
}

/** Empty for a claim that is missing, empty, an object, or a list with an item that has no text. */
function renderClaim(value: unknown): string {
  if (typeof value === 'string') return value.isWellFormed() ? encodeText(value) : '' // nearly every one
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
export function isPatternMatch(pattern: string, text: string): boolean {
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

/** Whether every text that one of the narrow patterns matches is matched by one of the wide ones as well. */
export function isCoveredBy(narrow: readonly string[], wide: readonly string[]): boolean {
  // Only a star of a wide pattern matches a star of a narrow one, and then also whatever that stands for.
  return narrow.every((pattern) => wide.some((wider) => isPatternMatch(wider, pattern)))
}

/** Whether a pattern matches every text. */
export function isMatchAll(pattern: string): boolean {
  return /^\*+$/.test(pattern)
}
