import { DOMParser, type Element, type Node, onWarningStopParsing } from '@xmldom/xmldom'
import { decodeText } from '../../runtime/text/decode-text.ts'
import { maxDepth } from '../../runtime/values/json-text.ts'
import { joinPath, noPositions, type Position } from '../../runtime/values/position.ts'
import { createFinding, type Finding } from '../finding.ts'
import { type ParsedValue, reportDuplicateKey, reportReservedKey, reportTooDeep } from './json.ts'

/** Parses an XML property list, in UTF-8 or UTF-16. The last occurrence of a duplicate key is used. */
export function parseXmlPlist(bytes: Uint8Array): ParsedValue {
  const text = decodeText(bytes)
  if (text === undefined)
    return reportUnreadable(
      createFinding('not-utf8', '', 'it has bytes that are not valid in its encoding', 'save it as UTF-8'),
    )
  if (/<!ENTITY/i.test(text)) {
    return reportUnreadable(
      createFinding(
        'entity-declared',
        '',
        'it declares entities, and clients never expand them',
        'remove the <!ENTITY …> declarations and write the text itself',
      ),
    )
  }
  const findings: Finding[] = []
  const positions = new Map<string, Position>()
  try {
    return { value: collectRoot(text, { path: '', depth: 1, findings, positions }), findings, positions }
  } catch (cause) {
    return reportUnreadable(cause instanceof TooDeep ? reportTooDeep() : reportBrokenPropertyList(cause))
  }
}

/** Creates the finding for a file that is not a property list; `plutil` names the line. */
export function reportBrokenPropertyList(cause: unknown): Finding {
  const line = (cause as { locator?: { lineNumber?: number } } | undefined)?.locator?.lineNumber
  const where = line ? `, at line ${line}` : ''
  const problem = createFinding(
    'broken-property-list',
    '',
    `it is not a complete property list${where}`,
    'run `plutil -lint` on it (macOS), or `plistutil -i FILE` (libplist)',
  )
  return { ...problem, ...(line && { line }) }
}

class TooDeep extends Error {}

function reportUnreadable(problem: Finding): ParsedValue {
  return { value: undefined, findings: [problem], positions: noPositions }
}

/** Collects the root value, and stops at the first error, because the parser would otherwise print it to the console and continue. */
function collectRoot(text: string, at: Location): unknown {
  const root = new DOMParser({ onError: stopParsing }).parseFromString(text, 'text/xml').documentElement
  const [content, ...more] = root ? listElements(root) : []
  if (root?.nodeName !== 'plist' || !content || more.length > 0) throw new SyntaxError('not one value in <plist>')
  return collectElement(content, at)
}

/** Stops the parser at an error. U+FFFD is accepted, because bytes that are not valid in the encoding were refused before. */
function stopParsing(_level: string, message: string): void {
  if (!message.startsWith('Unicode replacement character')) onWarningStopParsing()
}

interface Location {
  readonly path: string
  readonly depth: number
  readonly findings: Finding[]
  readonly positions: Map<string, Position>
}

function collectElement(element: Element, at: Location): unknown {
  if (at.depth > maxDepth) throw new TooDeep()
  const text = element.textContent ?? ''
  switch (element.nodeName) {
    case 'dict':
      return collectDict(listElements(element), at)
    case 'array':
      return listElements(element).map((item, index) =>
        collectElement(item, { ...at, path: joinPath(at.path, index), depth: at.depth + 1 }),
      )
    case 'string':
      return text
    case 'true':
    case 'false':
      return element.nodeName === 'true'
    case 'integer':
    case 'real':
      return parseNumber(text)
    case 'date':
      return new Date(text)
    case 'data':
      return Buffer.from(text, 'base64')
    default:
      throw new SyntaxError(`unknown element ${element.nodeName}`)
  }
}

/** Collects the entries of a dict. Their positions and problems are added to those of the document. */
function collectDict(elements: readonly Element[], at: Location): Record<string, unknown> {
  const entries = new Map<string, unknown>()
  for (let index = 0; index < elements.length; index += 2) {
    const [key, value] = [elements[index]!, elements[index + 1]]
    if (key.nodeName !== 'key' || !value || value.nodeName === 'key')
      throw new SyntaxError('keys and values must alternate')
    const name = key.textContent ?? ''
    const path = joinPath(at.path, name)
    at.positions.set(path, { line: key.lineNumber ?? 1, column: key.columnNumber ?? 1 })
    if (entries.has(name)) at.findings.push(reportDuplicateKey(path))
    const inner = collectElement(value, { ...at, path, depth: at.depth + 1 })
    if (name === '__proto__') at.findings.push(reportReservedKey(path))
    else entries.set(name, inner)
  }
  return Object.fromEntries(entries)
}

function parseNumber(text: string): number {
  if (!/^\s*[-+]?[\d.]+(e[-+]?\d+)?\s*$/i.test(text)) throw new SyntaxError('not a number')
  return Number(text)
}

function listElements(node: Node): Element[] {
  return Array.from(node.childNodes).filter((child): child is Element => child.nodeType === child.ELEMENT_NODE)
}
