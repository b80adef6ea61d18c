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
import { createPolicyFinding, type PolicyFinding, type PolicyProblem, toPolicyFinding } from './policy-finding.ts'
import { policyLimits } from './policy-limits.ts'

/** Parses the bytes of a file. A repeated key is an error, because a reader of the file cannot know which value is used. */
export function parseObjectFile(bytes: Uint8Array, kind: JsonFileKind): ReadObject {
  if (bytes.length > policyLimits.fileBytes)
    return reject({
      code: 'too-large',
      message: `it is larger than ${policyLimits.fileBytes / 1024 / 1024} MiB`,
      hint: `check that it is the ${kind.noun}`,
    })
  const decoded = decodeUtf8(bytes)
  if ('problem' in decoded) return reject({ ...decoded, code: decoded.problem })
  const parsed = parseJsonText(decoded.text)
  if ('problem' in parsed) return rejectText(parsed, kind)
  const { value, positions, oddKeys } = parsed
  if (!isObject(value)) return reject(describeOtherValue(value))
  const mark = decoded.hasMark ? [toPolicyFinding({ ...markProblem, code: 'byte-order-mark' }, '')] : []
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
  const rejected = reject({ code, message, hint })
  return { ...rejected, findings: rejected.findings.map((finding) => ({ ...finding, ...position })) }
}

function reject(problem: PolicyProblem): ReadObject {
  return { value: undefined, findings: [toPolicyFinding(problem, '')], positions: noPositions }
}

function reportOddKey({ path, problem }: Extract<JsonText, { oddKeys: unknown }>['oddKeys'][number]): PolicyFinding {
  return problem === 'reserved'
    ? toPolicyFinding({ ...reservedKeyProblem, code: 'reserved-key' }, path)
    : createPolicyFinding('duplicate-key', path, 'it appears more than once', 'keep one')
}
