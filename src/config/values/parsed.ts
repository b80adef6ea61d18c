import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'
import { describeType } from '../raw.ts'

/** What came of a raw value. */
export interface Parsed {
  /** `undefined` when nothing of it can be used. */
  readonly value: unknown
  readonly findings: readonly Finding[]
}

/** The value as it stands. */
export function accept(value: unknown): Parsed {
  return { value, findings: [] }
}

/** Nothing can be used; names the type that was found, never the value. */
export function refuseType(expected: string, found: unknown, path: string): Parsed {
  return refuse(
    'wrong-type',
    path,
    `expected ${expected}, found ${describeType(found)}`,
    `write ${expected}, or remove the field`,
  )
}

/** Nothing can be used. */
export function refuse(
  code: 'wrong-type' | 'out-of-range' | 'invalid-value',
  path: string,
  message: string,
  hint: string,
): Parsed {
  return { value: undefined, findings: [finding(code, path, message, hint)] }
}
