import { type ParseError, parse, visit } from 'jsonc-parser'
import type { Finding } from '../../finding.ts'
import { createFinding, joinPath } from '../../finding.ts'
import { describeType, isRecord, noPositions, type Position, type Positions, type Raw } from '../../raw.ts'
import { decodeUtf8 } from './decode-text.ts'
import { maxDepth } from './limits.ts'

/** Reads one JSON object from UTF-8 bytes. The last occurrence of a duplicate key is used. */
export function parseJson(bytes: Uint8Array): Raw {
  const decoded = decodeUtf8(bytes)
  if (decoded.text === undefined) return { entries: undefined, findings: decoded.findings }
  const { value, findings, positions } = parseJsonText(decoded.text)
  if (value === undefined || isRecord(value))
    return { entries: value, findings: [...decoded.findings, ...findings], positions }
  const found = `expected a JSON object, found ${describeType(value)}`
  return { entries: undefined, findings: [createFinding('not-an-object', '', found, 'put the fields between { and }')] }
}

interface ParsedText extends KeyReport {
  readonly value: unknown
}

/** Reads any JSON value from the text of a file or of a managed value; `undefined` when it is not JSON. */
export function parseJsonText(text: string): ParsedText {
  const unreadable = (problem: Finding) => ({ value: undefined, findings: [problem], positions: noPositions })
  if (text.trim() === '') return unreadable(createFinding('empty-file', '', 'it is empty', 'write a JSON object'))
  if (isHtml(text)) return unreadable(reportHtmlPage())
  if (isTooDeep(text)) return unreadable(reportTooDeep())
  const value = parseIfJson(text)
  return value === undefined ? unreadable(reportSyntaxError(text)) : { value, ...examineKeys(text) }
}

/** Nesting beyond `maxDepth` levels, which no reader follows. */
export function reportTooDeep(): Finding {
  return createFinding(
    'too-deep',
    '',
    `it is nested deeper than ${maxDepth} levels`,
    'remove the nesting: a document needs 4',
  )
}

/** A key that appears more than once in one object. */
export function reportDuplicateKey(path: string): Finding {
  return createFinding('duplicate-key', path, 'it appears more than once; the last one is used', 'keep one')
}

/** The key `__proto__`, which could change the prototype of an object; it is left out everywhere. */
export function reportReservedKey(path: string): Finding {
  return createFinding('reserved-key', path, 'this key is never read', 'remove it')
}

/** Whether a sign-in page or an error page came in place of a document. */
function isHtml(text: string): boolean {
  return /^\s*<(!doctype\s+html|html)\b/i.test(text)
}

function reportHtmlPage(): Finding {
  return createFinding(
    'html-page',
    '',
    'it is a web page, not a document',
    'fetch the document itself: such a page comes from a sign-in or from a proxy on the way',
  )
}

/** Counts without recursion, before any parser runs, so that no parser overflows its stack. */
function isTooDeep(text: string): boolean {
  const closers: string[] = []
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (inString && character === '\\') at++
    else if (character === '"') inString = !inString
    else if (inString) continue
    else if (character === '{') closers.push('}')
    else if (character === '[') closers.push(']')
    else if (character === closers.at(-1)) closers.pop()
    if (closers.length > maxDepth) return true
  }
  return false
}

/** `__proto__` is left out, so that no later copy of the object can turn it into a prototype. */
function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value))
  } catch {
    return undefined
  }
}

function reportSyntaxError(text: string): Finding {
  const errors: ParseError[] = []
  parse(text, errors, { disallowComments: true })
  const before = text.slice(0, errors[0]?.offset ?? text.length).split(/\r\n|\r|\n/)
  const [line, column] = [before.length, before.at(-1)!.length + 1]
  const problem = createFinding(
    'not-json',
    '',
    `it is not JSON: line ${line}, column ${column}`,
    'fix the syntax there: a missing comma or quote, a comment, a comma before a closing bracket',
  )
  return { ...problem, line, column }
}

interface KeyReport {
  readonly findings: readonly Finding[]
  readonly positions: Positions
}

/** Where every key and every item begins, and the keys that a reader does not take as they are written. */
function examineKeys(text: string): KeyReport {
  const findings: Finding[] = []
  const seen: Set<string>[] = []
  const positions = new Map<string, Position>()
  visit(text, {
    onObjectBegin: () => void seen.push(new Set()),
    onObjectEnd: () => void seen.pop(),
    onObjectProperty: (key, _offset, _length, line, character, pathOfParent) => {
      const path = toPath([...pathOfParent(), key])
      positions.set(path, { line: line + 1, column: character + 1 })
      if (key === '__proto__') findings.push(reportReservedKey(path))
      if (seen.at(-1)!.has(key)) findings.push(reportDuplicateKey(path))
      seen.at(-1)!.add(key)
    },
    onLiteralValue: (_value, _offset, _length, line, character, pathOf) => {
      const keys = pathOf()
      if (typeof keys.at(-1) === 'number') positions.set(toPath(keys), { line: line + 1, column: character + 1 })
    },
  })
  return { findings, positions }
}

function toPath(keys: readonly (string | number)[]): string {
  return keys.reduce<string>(joinPath, '')
}
