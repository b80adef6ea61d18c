import type { RawObject } from '../runtime/json/json-value.ts'
import type { Positions } from '../runtime/json/position.ts'
import type { Finding } from './finding.ts'

/** The content of a container, before its fields are parsed. `entries` is `undefined` when it is unreadable. */
export interface Raw {
  readonly entries: RawObject | undefined
  readonly findings: readonly Finding[]
  /** Absent where the container has no lines, or is unreadable. */
  readonly positions?: Positions
}
