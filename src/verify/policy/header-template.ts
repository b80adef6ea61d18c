import {
  type ClaimPath,
  findClaim,
  listClaimTexts,
  parseClaimPath,
  toClaimText,
} from '../../runtime/tokens/claim-path.ts'

/** The value of a header: literal text, and claims to fill in. */
export type ClaimTemplate = readonly TemplatePart[]

/** A claim that a template fills in. */
export interface ClaimPart {
  readonly claim: ClaimPath
  readonly isOptional: boolean
  /** Set if the names of a map replace the claim's values. */
  readonly map?: ValueMap
}

/** The names by which the server behind the gateway knows the values of a claim. */
interface ValueMap {
  readonly name: string
  readonly names: ReadonlyMap<string, string>
  /** A value that has no name is omitted, or the rule does not match. */
  readonly unlisted: 'left out' | 'refused'
}

/** The value maps of a policy, by the names that templates give them. */
export type ValueMaps = ReadonlyMap<string, ValueMap>

/** `{email}`, `{email?}` for a claim that may be missing, or `{groups|teams}` for the names of a value map. */
const piece = /\{([^{}?]+?)(?:\|([\w-]+))?(\??)\}|[^{}]+/y

/**
 * Parses a template such as `{email}`, `{realm_access.roles?}` or `{groups|teams}`; `undefined` for an unbalanced brace or a malformed
 * claim. A map that is not among the given ones has no names.
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
    const ofMap =
      map === undefined ? {} : { map: maps.get(map) ?? { name: map, names: new Map(), unlisted: 'refused' } }
    parts.push(claim ? { claim, isOptional: mark === '?', ...ofMap } : found)
    at += found.length
  }
  return parts
}

type TemplatePart = string | ClaimPart

export function listTemplateClaims(template: ClaimTemplate): ClaimPart[] {
  return template.filter((part) => typeof part !== 'string')
}

/** Fills in a template: returns a value that can be sent, or the missing claims. */
export function expandHeaderTemplate(
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

/** Renders each name once. `undefined` if a value has no name and the rule therefore does not match; empty as in {@link renderClaim}. */
function renderNames(value: unknown, { names, unlisted }: ValueMap): string | undefined {
  if (renderClaim(value) === '') return ''
  const found = listClaimTexts(value).map((text) => names.get(text))
  if (unlisted === 'refused' && found.includes(undefined)) return undefined
  return renderClaim([...new Set(found.filter((name) => name !== undefined))])
}

/** Returns an empty text if the claim is missing, empty, an object, or a list with an item that is not a text. */
function renderClaim(value: unknown): string {
  if (typeof value === 'string') return value.isWellFormed() ? encodeText(value) : '' // the usual case
  const texts = (Array.isArray(value) ? value : [value]).map(toClaimText)
  return texts.every((text) => text !== undefined && text !== '' && text.isWellFormed())
    ? texts.map((text) => encodeText(text!)).join(',')
    : ''
}

/**
 * Percent-encodes as UTF-8 everything but visible ASCII and single spaces within a text, so that no claim can begin another header or be
 * lost on the way. `%` and `,` are encoded too, so that a reader gets back each item of the claim.
 */
function encodeText(text: string): string {
  return text.replace(/^ | $|[%,]|[^\x20-\x7e]+/gu, encodeExactly)
}

function encodeExactly(text: string): string {
  return text === ',' ? '%2C' : encodeURIComponent(text)
}
