import { decodeUtf8, markProblem, maxDepth, parseJsonText } from '../../runtime/values/json-text.ts'
import { describeType, isObject } from '../../runtime/values/json-value.ts'
import { noPositions, type Position, type Positions } from '../../runtime/values/position.ts'
import { createFinding, type Finding, type Raw } from '../finding.ts'

/** Parses UTF-8 bytes into one JSON object. The last occurrence of a duplicate key is used. */
export function parseJson(bytes: Uint8Array): Raw {
  const decoded = decodeUtf8(bytes)
  if ('problem' in decoded)
    return { entries: undefined, findings: [createFinding(decoded.problem, '', decoded.message, decoded.hint)] }
  const { value, findings, positions } = parseJsonValue(decoded.text)
  const mark = decoded.hasMark ? [createFinding('byte-order-mark', '', markProblem.message, markProblem.hint)] : []
  if (value === undefined || isObject(value)) return { entries: value, findings: [...mark, ...findings], positions }
  const found = `expected a JSON object, found ${describeType(value)}`
  return { entries: undefined, findings: [createFinding('not-an-object', '', found, 'put the fields between { and }')] }
}

interface ParsedValue {
  readonly value: unknown
  readonly findings: readonly Finding[]
  readonly positions: Positions
}

/** Parses any JSON value in the text of a file or of a managed value; `value` is `undefined` if it is not JSON. */
export function parseJsonValue(text: string): ParsedValue {
  const parsed = parseJsonText(text)
  if ('problem' in parsed) return { value: undefined, findings: [reportUnreadable(parsed)], positions: noPositions }
  const findings = parsed.oddKeys.map(({ path, problem }) => reportOddKey[problem](path))
  return { value: parsed.value, findings, positions: parsed.positions }
}

function reportUnreadable(parsed: Extract<ReturnType<typeof parseJsonText>, { problem: string }>): Finding {
  switch (parsed.problem) {
    case 'empty':
      return createFinding('empty-file', '', 'it is empty', 'write a JSON object')
    case 'html-page':
      return reportHtmlPage()
    case 'too-deep':
      return reportTooDeep()
    case 'not-json':
      return reportSyntaxError(parsed.at)
  }
}

/** The finding for nesting beyond `maxDepth` levels, which no reader follows. */
export function reportTooDeep(): Finding {
  return createFinding(
    'too-deep',
    '',
    `it is nested deeper than ${maxDepth} levels`,
    'remove the nesting: a document needs 4',
  )
}

/** The finding for a key that appears more than once in one object. */
export function reportDuplicateKey(path: string): Finding {
  return createFinding('duplicate-key', path, 'it appears more than once; the last one is used', 'keep one')
}

/** The finding for the key `__proto__`, which could change the prototype of an object; it is left out everywhere. */
export function reportReservedKey(path: string): Finding {
  return createFinding('reserved-key', path, 'this key is never read', 'remove it')
}

const reportOddKey = { duplicate: reportDuplicateKey, reserved: reportReservedKey } as const

function reportHtmlPage(): Finding {
  return createFinding(
    'html-page',
    '',
    'it is a web page, not a document',
    'fetch the document itself: such a page comes from a sign-in or from a proxy on the way',
  )
}

function reportSyntaxError({ line, column }: Position): Finding {
  const problem = createFinding(
    'not-json',
    '',
    `it is not JSON: line ${line}, column ${column}`,
    'fix the syntax there: a missing comma or quote, a comment, a comma before a closing bracket',
  )
  return { ...problem, line, column }
}
