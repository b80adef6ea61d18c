/** Elements by their names; each has a text or elements, never both, and none stands twice beside another. */
export interface Elements {
  readonly [name: string]: string | Elements
}

/** One tag or one text. AWS STS writes no other attribute than the name space of the root, no comments and no sections. */
const piece =
  /<\?xml [^<>]*\?>\s*|<(?<opened>[A-Za-z]\w{0,63})(?: xmlns="(?<space>[^"<>]*)")?(?<empty>\s*\/)?>|<\/(?<closed>\w+)>|(?<text>[^<]+)/y

const deepest = 8

/** An element that is open, with what it has so far. */
interface OpenElement {
  readonly name: string
  readonly elements: Map<string, string | Elements>
  text: string
}

/**
 * Parses an answer of AWS Query, whole, by that part of XML in which AWS writes it; `undefined` for anything else, so that nothing is found
 * in a text that only looks like an answer somewhere.
 */
export function parseElements(xml: string, nameSpace: string): Elements | undefined {
  const root: OpenElement = { name: '', elements: new Map(), text: '' }
  const open = [root]
  piece.lastIndex = 0
  while (piece.lastIndex < xml.length) {
    const isFirst = piece.lastIndex === 0
    const found = piece.exec(xml)
    if (!found?.groups) return undefined
    const { opened, space, empty, closed, text } = found.groups
    const isDeclaration = [opened, closed, text].every((part) => part === undefined)
    if (isDeclaration ? !isFirst : !addPiece({ opened, space, empty, closed, text }, open, nameSpace)) return undefined
  }
  return open.length === 1 && root.elements.size === 1 ? toValue(root) : undefined
}

interface Piece {
  readonly opened: string | undefined
  readonly space: string | undefined
  readonly empty: string | undefined
  readonly closed: string | undefined
  readonly text: string | undefined
}

/** Whether the piece may stand there. */
function addPiece({ opened, space, empty, closed, text }: Piece, open: OpenElement[], nameSpace: string): boolean {
  const parent = open.at(-1)!
  if (text !== undefined) {
    parent.text += text
    return open.length > 1 || text.trim() === ''
  }
  if (opened !== undefined) {
    const isRoot = open.length === 1
    const isWanted = isRoot ? space === nameSpace && parent.elements.size === 0 : space === undefined
    if (!isWanted || parent.elements.has(opened) || open.length > deepest) return false
    // Also while it is open, so that no other of its name begins in it.
    parent.elements.set(opened, '')
    if (empty === undefined) open.push({ name: opened, elements: new Map(), text: '' })
    return true
  }
  return closed === parent.name && open.length > 1 && closeElement(open)
}

function closeElement(open: OpenElement[]): boolean {
  const element = open.pop()!
  if (element.elements.size > 0 && element.text.trim() !== '') return false
  const value = element.elements.size > 0 ? toValue(element) : decodeText(element.text)
  if (value === undefined) return false
  open.at(-1)!.elements.set(element.name, value)
  return true
}

function toValue({ elements }: OpenElement): Elements {
  return Object.fromEntries(elements)
}

/** The characters that XML has names for. XML 1.0, section 4.6. */
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** `undefined` for a text with a reference to anything else. */
function decodeText(text: string): string | undefined {
  const reference = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,6}));/g
  if (text.replaceAll(reference, '').includes('&')) return undefined
  return text.replaceAll(reference, (_, name: string | undefined, code: string) =>
    name === undefined ? String.fromCodePoint(Number(code)) : entities[name]!,
  )
}
