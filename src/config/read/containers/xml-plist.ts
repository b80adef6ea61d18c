import { DOMParser, type Element, type Node, onWarningStopParsing } from '@xmldom/xmldom'
import type { Finding } from '../../finding.ts'
import { finding, joinPath } from '../../finding.ts'
import { maxDepth } from '../../limits.ts'
import { decode, utf16ByteOrder } from './decode-text.ts'
import { reservedKey, tooDeep } from './json.ts'

/** Reads an XML property list, in UTF-8 or UTF-16. Of a key that stands twice the last one counts. */
export function parseXmlPlist(bytes: Uint8Array): { value: unknown; findings: readonly Finding[] } {
  const text = decode(bytes, utf16ByteOrder(bytes) ?? 'utf-8')
  if (text === undefined)
    return unreadable(finding('not-utf8', '', 'it has bytes that are not valid in its encoding', 'save it as UTF-8'))
  if (/<!ENTITY/i.test(text)) {
    return unreadable(
      finding(
        'entity-declared',
        '',
        'it declares entities, which are never expanded',
        'remove the <!ENTITY …> declarations and write the text itself',
      ),
    )
  }
  const findings: Finding[] = []
  try {
    return { value: parseRoot(text, findings), findings }
  } catch (cause) {
    return unreadable(cause instanceof TooDeep ? tooDeep() : brokenPropertyList(cause))
  }
}

/** The finding for what no property list reader accepts; `plutil` says where. */
export function brokenPropertyList(cause: unknown): Finding {
  const line = (cause as { locator?: { lineNumber?: number } } | undefined)?.locator?.lineNumber
  const where = line ? `, at line ${line}` : ''
  return finding(
    'broken-property-list',
    '',
    `it is no complete property list${where}`,
    'run `plutil -lint` on it (macOS), or `plistutil -i FILE` (libplist)',
  )
}

class TooDeep extends Error {}

function unreadable(problem: Finding): { value: undefined; findings: Finding[] } {
  return { value: undefined, findings: [problem] }
}

/** Stops at the first thing that is wrong: the parser would otherwise report to the console and carry on. */
function parseRoot(text: string, findings: Finding[]): unknown {
  const root = new DOMParser({ onError: onWarningStopParsing }).parseFromString(text, 'text/xml').documentElement
  const [content, ...more] = root ? elementsIn(root) : []
  if (root?.nodeName !== 'plist' || !content || more.length > 0) throw new SyntaxError('not one value in <plist>')
  return readElement(content, { path: '', depth: 1, findings })
}

interface Place {
  readonly path: string
  readonly depth: number
  readonly findings: Finding[]
}

function readElement(element: Element, at: Place): unknown {
  if (at.depth > maxDepth) throw new TooDeep()
  const text = element.textContent ?? ''
  switch (element.nodeName) {
    case 'dict':
      return readDict(elementsIn(element), at)
    case 'array':
      return elementsIn(element).map((item, index) =>
        readElement(item, { ...at, path: joinPath(at.path, index), depth: at.depth + 1 }),
      )
    case 'string':
      return text
    case 'true':
    case 'false':
      return element.nodeName === 'true'
    case 'integer':
    case 'real':
      return readNumber(text)
    case 'date':
      return new Date(text)
    case 'data':
      return Buffer.from(text, 'base64')
    default:
      throw new SyntaxError(`unknown element ${element.nodeName}`)
  }
}

function readDict(elements: readonly Element[], at: Place): Record<string, unknown> {
  const entries = new Map<string, unknown>()
  for (let index = 0; index < elements.length; index += 2) {
    const [key, value] = [elements[index]!, elements[index + 1]]
    if (key.nodeName !== 'key' || !value || value.nodeName === 'key')
      throw new SyntaxError('keys and values must alternate')
    const name = key.textContent ?? ''
    const path = joinPath(at.path, name)
    if (entries.has(name))
      at.findings.push(finding('duplicate-key', path, 'it stands twice; the last one counts', 'keep one'))
    const inner = readElement(value, { ...at, path, depth: at.depth + 1 })
    if (name === '__proto__') at.findings.push(reservedKey(path))
    else entries.set(name, inner)
  }
  return Object.fromEntries(entries)
}

function readNumber(text: string): number {
  if (!/^\s*[-+]?[\d.]+(e[-+]?\d+)?\s*$/i.test(text)) throw new SyntaxError('not a number')
  return Number(text)
}

function elementsIn(node: Node): Element[] {
  return Array.from(node.childNodes).filter((child): child is Element => child.nodeType === child.ELEMENT_NODE)
}
