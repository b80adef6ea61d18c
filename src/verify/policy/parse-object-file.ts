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
import { isObject, type RawObject } from '../../runtime/values/json-value.ts'
import { noPositions, type Positions } from '../../runtime/values/position.ts'
import { createPolicyFinding, type PolicyFinding } from './policy-finding.ts'
import { policyLimits } from './policy-limits.ts'

/** Parses the bytes of a file. A repeated key is an error, because a reader of the file cannot know which value is used. */
export function parseObjectFile(bytes: Uint8Array, kind: JsonFileKind): ReadObject {
  if (bytes.length > policyLimits.fileBytes)
    return reject(
      'too-large',
      `it is larger than ${policyLimits.fileBytes / 1024 / 1024} MiB`,
      `check that it is the ${kind.noun}`,
    )
  const decoded = decodeUtf8(bytes)
  if ('problem' in decoded) return reject(decoded.problem, decoded.message, decoded.hint)
  const parsed = parseJsonText(decoded.text)
  if ('problem' in parsed) return rejectText(parsed, kind)
  const { value, positions, oddKeys } = parsed
  if (!isObject(value)) {
    const { code, message, hint } = describeOtherValue(value)
    return reject(code, message, hint)
  }
  const mark = decoded.hasMark ? [reportMark()] : []
  return { value, findings: [...mark, ...oddKeys.map(reportOddKey)], positions }
}

/** The content of a file that must be one JSON object. */
interface ReadObject {
  /** `undefined` if it is not a JSON object. */
  readonly value: RawObject | undefined
  readonly findings: readonly PolicyFinding[]
  readonly positions: Positions
}

function rejectText(unreadable: Extract<JsonText, { problem: string }>, kind: JsonFileKind): ReadObject {
  const { code, message, hint, ...position } = describeJsonProblem(unreadable, kind)
  const { findings, ...rest } = reject(code, message, hint)
  return { ...rest, findings: findings.map((finding) => ({ ...finding, ...position })) }
}

function reject(code: PolicyFinding['code'], message: string, hint: string): ReadObject {
  return { value: undefined, findings: [createPolicyFinding(code, '', message, hint)], positions: noPositions }
}

function reportMark(): PolicyFinding {
  return createPolicyFinding('byte-order-mark', '', markProblem.message, markProblem.hint)
}

function reportOddKey({ path, problem }: Extract<JsonText, { oddKeys: unknown }>['oddKeys'][number]): PolicyFinding {
  return problem === 'reserved'
    ? createPolicyFinding('reserved-key', path, reservedKeyProblem.message, reservedKeyProblem.hint)
    : createPolicyFinding('duplicate-key', path, 'it appears more than once', 'keep one')
}
