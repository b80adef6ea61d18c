import {
  decodeUtf8,
  describeJsonProblem,
  describeOtherValue,
  type JsonFileKind,
  type JsonText,
  markProblem,
  parseJsonText,
  reservedKeyProblem,
} from '../../runtime/values/json-text.ts'
import { isObject } from '../../runtime/values/json-value.ts'
import { noPositions, type Positions } from '../../runtime/values/position.ts'
import { createFinding, type Finding, type Raw } from '../finding.ts'

/** Parses UTF-8 bytes into one JSON object. The last occurrence of a duplicate key is used. */
export function parseJson(bytes: Uint8Array): Raw {
  const decoded = decodeUtf8(bytes)
  if ('problem' in decoded)
    return { entries: undefined, findings: [createFinding(decoded.problem, '', decoded.message, decoded.hint)] }
  const { value, findings, positions } = parseJsonValue(decoded.text)
  const mark = decoded.hasMark ? [createFinding('byte-order-mark', '', markProblem.message, markProblem.hint)] : []
  if (value === undefined || isObject(value)) return { entries: value, findings: [...mark, ...findings], positions }
  const { code, message, hint } = describeOtherValue(value)
  return { entries: undefined, findings: [createFinding(code, '', message, hint)] }
}

/** A value with the findings of its text; `value` is `undefined` if the text is broken. */
export interface ParsedValue {
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

const documentKind: JsonFileKind = { noun: 'document', levels: 4 }

function reportUnreadable(unreadable: Extract<JsonText, { problem: string }>): Finding {
  const { code, message, hint, ...position } = describeJsonProblem(unreadable, documentKind)
  return { ...createFinding(code, '', message, hint), ...position }
}

/** Reports nesting that no reader follows. */
export function reportTooDeep(): Finding {
  return reportUnreadable({ problem: 'too-deep' })
}

/** Reports a key that appears more than once in one object. */
export function reportDuplicateKey(path: string): Finding {
  return createFinding('duplicate-key', path, 'it appears more than once; the last one is used', 'keep one')
}

export function reportReservedKey(path: string): Finding {
  return createFinding('reserved-key', path, reservedKeyProblem.message, reservedKeyProblem.hint)
}

const reportOddKey = { duplicate: reportDuplicateKey, reserved: reportReservedKey } as const
