import { decodeUtf8, type JsonText, markProblem, maxDepth, parseJsonText } from '../../runtime/values/json-text.ts'
import { describeType, isObject, type RawObject } from '../../runtime/values/json-value.ts'
import { noPositions, type Positions } from '../../runtime/values/position.ts'
import { createPolicyFinding, type PolicyFinding } from './finding.ts'
import { policyLimits } from './limits.ts'

/** The content of a file that has to be one JSON object. */
interface ReadObject {
  /** `undefined` if it is not a JSON object. */
  readonly value: RawObject | undefined
  readonly findings: readonly PolicyFinding[]
  readonly positions: Positions
}

/** Parses the bytes of a file. A repeated key is an error: a reader of the file cannot know which value counts. */
export function parseObjectFile(bytes: Uint8Array): ReadObject {
  if (bytes.length > policyLimits.fileBytes)
    return reject(
      'too-large',
      `it is larger than ${policyLimits.fileBytes / 1024 / 1024} MiB`,
      'check that it is the policy',
    )
  const decoded = decodeUtf8(bytes)
  if ('problem' in decoded) return reject(decoded.problem, decoded.message, decoded.hint)
  const parsed = parseJsonText(decoded.text)
  if ('problem' in parsed) return rejectText(parsed)
  const { value, positions, oddKeys } = parsed
  if (!isObject(value))
    return reject(
      'not-an-object',
      `expected a JSON object, found ${describeType(value)}`,
      'put everything between { and }',
    )
  const mark = decoded.hasMark ? [reportMark()] : []
  return { value, findings: [...mark, ...oddKeys.map(reportOddKey)], positions }
}

function rejectText(parsed: Extract<JsonText, { problem: string }>): ReadObject {
  switch (parsed.problem) {
    case 'empty':
      return reject('empty-file', 'it is empty', 'write a JSON object')
    case 'html-page':
      return reject(
        'html-page',
        'it is a web page',
        'fetch the file itself: such a page comes from a sign-in or from a proxy on the way',
      )
    case 'too-deep':
      return reject('too-deep', `it is nested deeper than ${maxDepth} levels`, 'remove the nesting: a policy needs 5')
    case 'not-json': {
      const { line, column } = parsed.at
      const hint = 'fix the syntax there: a missing comma or quote, a comment, a comma before a closing bracket'
      const { findings, ...rest } = reject('not-json', `it is not JSON: line ${line}, column ${column}`, hint)
      return { ...rest, findings: findings.map((finding) => ({ ...finding, line, column })) }
    }
  }
}

function reject(code: PolicyFinding['code'], message: string, hint: string): ReadObject {
  return { value: undefined, findings: [createPolicyFinding(code, '', message, hint)], positions: noPositions }
}

function reportMark(): PolicyFinding {
  return createPolicyFinding('byte-order-mark', '', markProblem.message, markProblem.hint)
}

function reportOddKey({ path, problem }: Extract<JsonText, { oddKeys: unknown }>['oddKeys'][number]): PolicyFinding {
  return problem === 'reserved'
    ? createPolicyFinding('reserved-key', path, 'this key is never read', 'remove it')
    : createPolicyFinding('duplicate-key', path, 'it appears more than once', 'keep one')
}
