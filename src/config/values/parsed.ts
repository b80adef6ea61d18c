import { describeType } from '../../runtime/json/json-value.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'

/** The result of parsing a raw value. */
export interface Parsed {
  /** `undefined` when no part of it can be used. */
  readonly value: unknown
  readonly findings: readonly Finding[]
}

/** The result for a value that is used unchanged. */
export function accept(value: unknown): Parsed {
  return { value, findings: [] }
}

/** The result for a value of another type. The message names the type that was found, never the value. */
export function rejectType(expected: string, found: unknown, path: string): Parsed {
  return reject(
    'wrong-type',
    path,
    `expected ${expected}, found ${describeType(found)}`,
    `write ${expected}, or remove the field`,
  )
}

/** The result for a value of which no part can be used. */
export function reject(
  code: 'wrong-type' | 'out-of-range' | 'invalid-value',
  path: string,
  message: string,
  hint: string,
): Parsed {
  return { value: undefined, findings: [createFinding(code, path, message, hint)] }
}
