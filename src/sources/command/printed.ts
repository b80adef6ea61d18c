import type { Headers } from '../../contract/headers.ts'
import type { PrintedEnd } from './parse-end.ts'

/** What a program printed. */
export interface Printed {
  readonly token: string
  readonly headers?: Headers | undefined
  /** `undefined` where the output does not say it. */
  readonly end: PrintedEnd | undefined
  /** In words, such as "an ExecCredential". */
  readonly shape: string
}
